package dev.msgrelay.server.journal;

import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.journal.disk.DiskException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The writer's thread, the forcer's thread, and the one that does what is left when both have ended. The methods that end
 * threads are called by one thread at a time.
 */
final class JournalThreads {
    /** The longest time of a step whose disk does not hang. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The steps behind the end of both threads. */
    interface LastSteps {
        void run() throws IOException;
    }

    private final String journal;
    final JournalThread writing;
    final JournalThread forcing;
    // Null: there were no last steps yet.
    private Thread last;

    /** @param journal its name in messages */
    JournalThreads(String journal, JournalThread.Duty write, JournalThread.Duty force, Consumer<Throwable> failure) {
        this.journal = journal;
        writing = new JournalThread("relay-journal", write, failure);
        forcing = new JournalThread("relay-journal-force", force, failure);
    }

    void start() {
        forcing.start();
        writing.start();
    }

    /**
     * Ends both threads after their steps, and then runs the last steps on a thread of their own, since they may hang in the
     * disk as well: then that thread keeps the directory, and the caller goes on.
     *
     * @param nanos the time for both threads, and again for the last steps
     * @throws IOException a thread hangs in the disk for longer; or the last steps have failed
     */
    void stop(long nanos, LastSteps steps) throws IOException {
        writing.tellEnd();
        forcing.tellEnd();
        long threadsEnd = System.nanoTime() + nanos;
        await(writing.thread(), threadsEnd, nanos);
        await(forcing.thread(), threadsEnd, nanos);
        // A full disk is asked again until the time is over, and is no disk that hangs.
        long end = System.nanoTime() + nanos + GRACE_NANOS;
        if (last != null) {
            await(last, end, nanos);
        }
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        last = new Thread(
                () -> {
                    try {
                        steps.run();
                    } catch (Throwable e) {
                        thrown.set(e);
                    }
                },
                "relay-journal-end");
        last.setDaemon(true);
        last.start();
        await(last, end, nanos);
        if (thrown.get() != null) {
            throw new DiskException(journal + ": " + TextFile.fault(thrown.get()), thrown.get());
        }
    }

    /** Waits for the end of a thread. {@code bound} is the time that the message names. */
    private void await(Thread thread, long end, long bound) throws IOException {
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DiskException(journal + ": interrupted at its end", e);
        }
        if (thread.isAlive()) {
            throw new DiskException(journal + ": the disk has not answered for " + TimeUnit.NANOSECONDS.toMillis(bound)
                    + " ms; what was forced before is there");
        }
    }
}
