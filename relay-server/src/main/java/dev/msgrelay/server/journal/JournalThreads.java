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
 * The writer's thread, the forcer's thread, and the thread of the last steps, behind the end of both. One thread at a
 * time starts and stops them; any thread wakes them.
 */
final class JournalThreads {
    /** The longest time of a step whose disk does not hang. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    interface LastSteps {
        void run() throws IOException;
    }

    private final String journal;
    private final JournalThread writing;
    private final JournalThread forcing;
    private boolean started;
    private Optional<Thread> last = Optional.empty();

    /** @param journal its name in messages */
    JournalThreads(String journal, JournalThread.Duty write, JournalThread.Duty force, Consumer<Throwable> failure) {
        this.journal = journal;
        writing = new JournalThread("relay-journal", write, failure);
        forcing = new JournalThread("relay-journal-force", force, failure);
    }

    void start() {
        started = true;
        forcing.start();
        writing.start();
    }

    /** Wakes the writer if it sleeps, after changes have been made visible. */
    void wakeWriter() {
        writing.wake();
    }

    /** Wakes the forcer if it sleeps, after changes have been made visible. */
    void wakeForcer() {
        forcing.wake();
    }

    /**
     * Ends both threads after their steps, and then runs the last steps. They have a thread of their own, since the
     * disk may hang: then that thread keeps the directory, and the caller goes on. Without started threads the caller
     * runs them.
     *
     * @param nanos the time for both threads, and again for the last steps
     * @throws IOException a thread hangs in the disk for longer; or the last steps have failed
     */
    void stop(long nanos, LastSteps steps) throws IOException {
        if (!started) {
            steps.run();
            return;
        }
        writing.tellEnd();
        forcing.tellEnd();
        long threadsEnd = System.nanoTime() + nanos;
        await(writing.thread(), threadsEnd, nanos);
        await(forcing.thread(), threadsEnd, nanos);
        // A full disk is asked again until the time is over, and is no disk that hangs.
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

    /** Waits for the end of a thread. {@code bound} is the time that the message names. */
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
