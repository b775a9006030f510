package dev.msgrelay.cluster;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Reports when the disk of a node's archive hangs or is slow. Its thread uses no file, no archive and no log, since all
 * of them may hang with the disk.
 */
final class Watchman implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final CountersReader counters;
    private final Consumer<String> hangs;
    private final DiskWatch disk = new DiskWatch();
    private final DiskPace pace = new DiskPace();
    // A text about a slow disk, for a thread that may wait for the disk to log it.
    private final AtomicReference<String> slow = new AtomicReference<>();
    private final NodeThread thread;
    private volatile boolean closed;

    /**
     * @param counters those of the node's driver; read until {@link #close}
     * @param hangs gets a text once, on the watchman's thread, when the disk hangs
     * @param failed gets an error of the watchman's thread
     */
    Watchman(CountersReader counters, Consumer<String> hangs, Consumer<Throwable> failed) {
        this.counters = counters;
        this.hangs = hangs;
        this.thread = new NodeThread("relay-cluster-watchman", this::run, failed);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!closed && look(System.nanoTime())) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Looks at the disk once; returns false if it hangs. On the watchman's thread. */
    boolean look(long nanos) {
        RecordingCounters.Look look = RecordingCounters.read(counters);
        long stands = disk.look(look.recordings(), nanos);
        pace.look(stands, look.missing(), look.writtenBytes(), look.writeNanos(), nanos)
                .ifPresent(slow::set);
        if (stands < DiskWatch.PATIENCE_NANOS) {
            return true;
        }
        hangs.accept("has taken nothing of the cluster's log for " + TimeUnit.NANOSECONDS.toSeconds(stands) + " s, and "
                + look.missing() + " bytes wait");
        return false;
    }

    /** Removes and returns a text about a slow disk, at most once a minute; empty: there is none. Any thread. */
    Optional<String> takeSlow() {
        return Optional.ofNullable(slow.getAndSet(null));
    }

    /** Must be closed before the driver, whose memory it reads. */
    @Override
    public void close() {
        closed = true;
        thread.awaitEnd();
    }
}
