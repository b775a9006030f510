package dev.msgrelay.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueuedOutputTest {
    private static final int CAPACITY = 1000;
    private static final long LONG = Await.LIMIT_MILLIS;

    private static final class Gate extends OutputStream {
        final Semaphore permits = new Semaphore(0);
        final Semaphore arrivals = new Semaphore(0);
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

        @Override
        public void write(int b) {
            throw new AssertionError("by the byte");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            arrivals.release();
            permits.acquireUninterruptibly();
            synchronized (taken) {
                taken.write(bytes, offset, length);
            }
        }

        String text() {
            synchronized (taken) {
                return taken.toString(StandardCharsets.UTF_8);
            }
        }

        List<String> lines() {
            return text().lines().toList();
        }
    }

    private final Gate gate = new Gate();
    private final QueuedOutput output = output(gate);
    private final PrintStream print = new PrintStream(output, true, StandardCharsets.UTF_8);

    private static QueuedOutput output(OutputStream out) {
        return new QueuedOutput(out, CAPACITY, n -> n + " lines suppressed", "test-output");
    }

    @Test
    void whatIsPrintedArrivesAtOnce() {
        gate.permits.release(100);
        print.println("one");
        print.printf(Locale.ROOT, "%d and %s%n", 2, "\u00fc");
        assertThat(output.finish(LONG)).isTrue();
        assertThat(gate.text()).isEqualTo("one\n2 and \u00fc\n");
    }

    @Test
    void aLineWithoutAnEndArrivesAtTheEnd() {
        gate.permits.release(100);
        print.print("no end");
        print.flush();
        assertThat(output.finish(LONG)).isTrue();
        assertThat(gate.text()).isEqualTo("no end");
    }

    @Test
    void aWriterThatBlocksHoldsNobodyBackAndTheGapIsToldWhereItIs() {
        print.println("line 0");
        gate.arrivals.acquireUninterruptibly();
        // It is blocked now, with the first line in its hands. Each further one takes 9 bytes.
        List<String> fit = new ArrayList<>(List.of("line 0"));
        for (int i = 1; i <= 10_000; i++) {
            String line = String.format(Locale.ROOT, "line %,d", i).substring(0, 6) + "..";
            print.println(line);
            if (i <= CAPACITY / 9) {
                fit.add(line);
            }
        }
        assertThat(output.finish(1)).as("finished while it is blocked").isFalse();
        gate.permits.release(2);
        Await.until(() -> "the queue in " + gate.lines(), () -> gate.lines().size() == fit.size());
        gate.permits.release(100);
        assertThat(output.finish(LONG)).isTrue();
        print.println("after it");
        assertThat(output.finish(LONG)).isTrue();
        fit.add(10_000 - CAPACITY / 9 + " lines suppressed");
        fit.add("after it");
        assertThat(gate.lines()).isEqualTo(fit);
    }

    @Test
    void nothingOvertakesWhatWasDropped() {
        print.println("first");
        gate.arrivals.acquireUninterruptibly();
        print.println("x".repeat(CAPACITY - 1));
        print.println("dropped");
        gate.permits.release(1);
        gate.arrivals.acquireUninterruptibly();
        // There is room again, but the gap has not been told.
        print.println("dropped, too");
        gate.permits.release(100);
        assertThat(output.finish(LONG)).isTrue();
        assertThat(gate.lines()).containsExactly("first", "x".repeat(CAPACITY - 1), "2 lines suppressed");
    }

    @Test
    void aLineOverTheCapacityIsDroppedAlone() {
        gate.permits.release(100);
        print.println("before");
        print.println("x".repeat(CAPACITY));
        assertThat(output.finish(LONG)).isTrue();
        print.println("behind");
        assertThat(output.finish(LONG)).isTrue();
        assertThat(gate.lines()).containsExactly("before", "1 lines suppressed", "behind");
    }

    @Test
    void aReaderThatHasGoneIsNoReasonToWait() {
        QueuedOutput out = output(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        });
        PrintStream printer = new PrintStream(out, true, StandardCharsets.UTF_8);
        for (int i = 0; i < 10_000; i++) {
            printer.println("line " + i);
        }
        assertThat(out.finish(LONG)).isFalse();
        assertThat(printer.checkError()).isFalse();
    }

    @Test
    void linesOfSeveralThreadsStayWhole() throws Exception {
        gate.permits.release(1_000_000);
        List<Thread> threads = new ArrayList<>();
        for (String word : List.of("aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb", "cccccccccccccccccccc")) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 1000; i++) {
                    print.println(word);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            Await.join(thread);
        }
        assertThat(output.finish(LONG)).isTrue();
        assertThat(gate.lines()).allMatch(l -> l.matches("a{20}|b{20}|c{20}|\\d+ lines suppressed"));
        long told = gate.lines().stream()
                .filter(l -> l.endsWith("suppressed"))
                .mapToLong(l -> Long.parseLong(l.split(" ")[0]))
                .sum();
        assertThat(gate.lines().stream().filter(l -> !l.endsWith("suppressed")).count() + told)
                .isEqualTo(3000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatAnOutputThrowsBreaksIt(boolean error) throws Exception {
        QueuedOutput broken = output(new OutputStream() {
            @Override
            public void write(int b) {
                if (error) {
                    throw new StackOverflowError("made by a test");
                }
                throw new IllegalStateException("made by a test");
            }
        });
        broken.write("a line\n".getBytes(StandardCharsets.UTF_8), 0, 7);
        AtomicBoolean out = new AtomicBoolean(true);
        Thread waits = new Thread(() -> out.set(broken.finish(Long.MAX_VALUE / 1_000_000)));
        waits.setDaemon(true);
        waits.start();
        Await.join(waits);
        assertThat(out).isFalse();
    }
}
