package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Seeds;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A disk that does not answer: the end of the journal is bounded, and whoever may still write keeps the directory. */
class JournalHangsTest {
    private static final long BOUND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Set<String> AT_WORK = Set.of("relay-journal", "relay-journal-force");

    private static final JournalSettings SETTINGS = new JournalSettings(
            256 << 10, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, TimeUnit.MILLISECONDS.toNanos(5));

    private final SimDisk disk = new SimDisk(Seeds.random("JournalHangsTest"));
    private final JournalRig rig = new JournalRig(disk, SETTINGS, Seeds.random("JournalHangsTest"));
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch hangs = new CountDownLatch(1);

    private void hang() {
        hangs.countDown();
        try {
            assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Hangs for whoever does what the journal's threads have left. */
    private void hangAtTheEnd() {
        if (!AT_WORK.contains(Thread.currentThread().getName())) {
            hang();
        }
    }

    private void assertEndsAndKeepsTheDirectory() throws Exception {
        AtomicReference<Throwable> told = new AtomicReference<>();
        do {
            // On a busy machine the threads that do not hang may need longer than the bound, too.
            Thread closes = new Thread(() -> told.set(catchThrowable(() -> rig.journal.close(BOUND_NANOS))));
            closes.start();
            Await.join(closes);
            assertThat(told.get())
                    .isInstanceOf(IOException.class)
                    .hasMessage("journal sim: the disk has not answered for 50 ms; what was forced before is there");
        } while (hangs.getCount() > 0);
        assertThatIOException().isThrownBy(() -> disk.lock(true)).withMessageContaining("in use");
        goOn.countDown();
        Await.until("the directory is free", this::isFree);
        rig.log.close();
        assertThat(rig.allocator.metric().usedDirectMemory()).isZero();
    }

    private boolean isFree() {
        try {
            disk.lock(true).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The disk is full for the journal's threads, and hangs as what they have left is to be written. */
    @Test
    void aWriteOfWhatIsLeft() throws Exception {
        rig.openWithThreads();
        assertThat(rig.append(100)).isTrue();
        rig.journal.wantWritten(rig.end());
        Await.until("it is written", () -> rig.journal.written().position() == rig.end());
        disk.duringWrite(() -> {
            disk.full(AT_WORK.contains(Thread.currentThread().getName()));
            hangAtTheEnd();
        });
        assertThat(rig.append(100)).isTrue();
        rig.journal.signal();
        assertEndsAndKeepsTheDirectory();
    }

    @Test
    void theLastForce() throws Exception {
        rig.openWithThreads();
        assertThat(rig.append(100)).isTrue();
        rig.journal.wantForced(rig.end());
        Await.until("it is forced", () -> rig.journal.forced().position() == rig.end());
        disk.duringForce(this::hangAtTheEnd);
        assertEndsAndKeepsTheDirectory();
    }

    /** Opens it and appends; its writer is then within the write, where it does what is given. */
    private void writeUntil(Runnable within) throws Exception {
        CountDownLatch writes = new CountDownLatch(1);
        rig.openWithThreads();
        disk.duringWrite(() -> {
            writes.countDown();
            within.run();
        });
        assertThat(rig.append(100)).isTrue();
        rig.journal.signal();
        assertThat(writes.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void theThreadsThemselves() throws Exception {
        writeUntil(this::hang);
        assertThatIOException()
                .isThrownBy(() -> rig.journal.close(BOUND_NANOS))
                .withMessageContaining("the disk has not answered for 50 ms");
        assertThatIOException().isThrownBy(() -> disk.lock(true)).withMessageContaining("in use");
        goOn.countDown();
        rig.close();
        disk.lock(true).close();
    }

    /** Its failure is followed by the end of the relay, in the same moment: what it has of the log goes back once. */
    @Test
    void whoClosesItWaitsForWhoAbandonsIt() throws Exception {
        writeUntil(() -> {
            hang();
            disk.failIn(1);
        });
        AtomicReference<Throwable> abandoned = new AtomicReference<>();
        Thread abandons = new Thread(() -> abandoned.set(catchThrowable(rig.journal::abandon)));
        abandons.start();
        Await.until("it waits for the disk", () -> abandons.getState() == Thread.State.TIMED_WAITING);
        AtomicReference<Throwable> closed = new AtomicReference<>();
        Thread closes = new Thread(() -> closed.set(catchThrowable(rig::close)));
        closes.start();
        // For its turn, not for the disk as well.
        Await.until(() -> "it is blocked: " + closes.getState(), () -> closes.getState() == Thread.State.BLOCKED);
        goOn.countDown();
        Await.join(abandons);
        Await.join(closes);
        assertThat(abandoned.get()).isNull();
        assertThat(closed.get()).hasMessageContaining("journal sim has failed");
        assertThat(rig.allocator.metric().usedDirectMemory()).isZero();
    }
}
