package dev.msgrelay.server.journal;

import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.journal.disk.DiskException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The threads of the writer and the forcer, and the thread that makes the last steps after the end of both. One thread
 * at a time starts and stops them.
 */
final class JournalThreads {
    /** The longest time of a step while the disk does not hang. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    interface LastSteps {
        void run() throws IOException;
    }

    private final String journal;
    final JournalThread writer;
    final JournalThread forcer;
    private boolean started;
    private Optional<Thread> last = Optional.empty();

    /** @param journal the journal's name in messages */
    JournalThreads(String journal, JournalThread.Duty write, JournalThread.Duty force, Consumer<Throwable> failure) {
        this.journal = journal;
        writer = new JournalThread("relay-journal", write, failure);
        forcer = new JournalThread("relay-journal-force", force, failure);
    }

    void start() {
        started = true;
        forcer.start();
        writer.start();
    }

    /**
     * Ends both threads, and then runs the last steps on a thread of their own: if the disk hangs, that thread keeps
     * the directory's lock, and the caller goes on. Without started threads the caller runs the last steps.
     *
     * @param nanos the longest time for both threads, and again for the last steps
     * @throws IOException a thread has hung in the disk for that time, or the last steps have failed
     */
    void stop(long nanos, LastSteps steps) throws IOException {
        if (!started) {
            steps.run();
            return;
        }
        writer.endSoon();
        forcer.endSoon();
        long threadsEnd = System.nanoTime() + nanos;
        await(writer, threadsEnd, nanos);
        await(forcer, threadsEnd, nanos);
        // The last steps try a full disk until their time is over; only a disk that hangs takes longer.
        long end = System.nanoTime() + nanos + GRACE_NANOS;
        if (last.isPresent()) {
            await(last.get(), end, nanos);
        }
        FutureTask<Void> task = new FutureTask<>(() -> {
            steps.run();
            return null;
        });
        Thread thread = new Thread(task, "relay-journal-end");
        thread.setDaemon(true);
        thread.start();
        last = Optional.of(thread);
        await(thread, end, nanos);
        try {
            task.get();
        } catch (ExecutionException e) {
            throw new DiskException(journal + ": " + TextFile.fault(e.getCause()), e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private DiskException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new DiskException(journal + ": interrupted at its end", e);
    }

    /** @param bound the time that the message names */
    private void await(Thread thread, long end, long bound) throws IOException {
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        if (thread.isAlive()) {
            throw new DiskException(journal + ": the disk has not answered for " + TimeUnit.NANOSECONDS.toMillis(bound)
                    + " ms; what was forced before is there");
        }
    }
}
