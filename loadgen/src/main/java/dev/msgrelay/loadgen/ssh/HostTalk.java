package dev.msgrelay.loadgen.ssh;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.core.JacksonException;

/**
 * The controller's end of the talk with {@link HostMain}. One daemon thread reads its answers, another one tells it every
 * two seconds that the controller is alive. Thread-safe.
 */
final class HostTalk implements AutoCloseable {
    private static final long ANSWER_SECONDS = 10;
    private static final long BEAT_SECONDS = 2;
    private static final long LEAVE_MILLIS = 3_000;
    private static final int MAX_ANSWERS = 64;
    private static final int UNKNOWN = -1;

    private final String name;
    private final SshProcess process;
    private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(MAX_ANSWERS);
    private final ReentrantLock asking = new ReentrantLock();
    private final Thread beat;
    private long questions;
    private volatile String lost;

    /** A line, and when it came. */
    private record Answer(long nanos, String line) {}

    HostTalk(String name, SshProcess process) {
        this.name = name;
        this.process = process;
        daemon("second-host-answers", this::read);
        this.beat = daemon("second-host-beat", this::beat);
    }

    private static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * @param farAddress where what is started there listens; empty: the address that ssh came to
     * @throws IOException the host is gone, or does not answer
     */
    HostMain.Facts facts(String farAddress) throws IOException, InterruptedException {
        String line = ask(("facts " + farAddress).trim()).line();
        try {
            return HostMain.Facts.of(line);
        } catch (JacksonException e) {
            throw new IOException(name + " said: " + line, e);
        }
    }

    /**
     * Asks for the time there, once.
     *
     * @throws IOException as above
     */
    ClockOffset.Sample clock() throws IOException, InterruptedException {
        long sent = System.nanoTime();
        Answer answer = ask("clock");
        return new ClockOffset.Sample(sent, number(answer.line()), answer.nanos());
    }

    /**
     * Whether a connection can be made from there to here; null, or why not.
     *
     * @throws IOException as above
     */
    String whyNotReached(String address, int port) throws IOException, InterruptedException {
        String line = ask("reach " + address + " " + port).line();
        return line.equals(HostMain.YES) ? null : line;
    }

    /** CPU time of a process there, in nanoseconds; -1 where that is not known. */
    long cpuNanos(long pid) {
        return figure(pid, 0);
    }

    /** The most memory that was resident, in bytes; -1 likewise. */
    long peakResidentBytes(long pid) {
        return figure(pid, 1);
    }

    private long figure(long pid, int which) {
        try {
            return number(ask("figures " + pid).line().split(" ")[which]);
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }

    private long number(String text) throws IOException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException(name + " said '" + text + "' instead of a number", e);
        }
    }

    /** Tells something that has no answer. Who is gone does not hear it, and has ended what it had. */
    void tell(String line) {
        synchronized (process) {
            try {
                process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().flush();
            } catch (IOException e) {
                // the reader notices, and knows why
            }
        }
    }

    private Answer ask(String question) throws IOException, InterruptedException {
        asking.lockInterruptibly();
        try {
            // An answer that came too late for its question is not taken for another one's.
            String number = ++questions + " ";
            tell(number + question);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_SECONDS);
            while (lost == null) {
                Answer answer = answers.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (answer == null) {
                    throw new IOException(name + " did not answer within " + ANSWER_SECONDS + " s");
                }
                if (answer.line().startsWith(number)) {
                    return new Answer(answer.nanos(), answer.line().substring(number.length()));
                }
            }
            throw new IOException(lost);
        } finally {
            asking.unlock();
        }
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                answers.offer(new Answer(System.nanoTime(), line));
            }
            lost = "the second host went away: " + process.failure().getMessage();
        } catch (IOException e) {
            lost = "the second host went away: " + name + ": " + e.getMessage();
        }
        // Whoever waits for an answer looks again.
        answers.offer(new Answer(System.nanoTime(), ""));
    }

    private void beat() {
        try {
            while (lost == null) {
                TimeUnit.SECONDS.sleep(BEAT_SECONDS);
                tell("beat");
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    /** The host kills what it watches. Takes a moment at most, and none where the thread is interrupted, as it then remains. */
    @Override
    public void close() {
        beat.interrupt();
        try {
            process.getOutputStream().close();
            process.waitFor(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            // it is gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
