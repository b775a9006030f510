package dev.msgrelay.cluster;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Looks whether the node's archive still gets to its disk, and tells where it does not. A thread of its own, which
 * touches no file, asks no archive and logs nothing: all that may hang as the disk does.
 */
final class Watchman implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final CountersReader counters;
    private final Consumer<String> hangs;
    private final DiskWatch disk = new DiskWatch();
    private final DiskPace pace = new DiskPace();
    // What is to be said of a slow disk, until somebody says it who may wait for the disk.
    private final AtomicReference<String> slow = new AtomicReference<>();
    private final NodeThread thread;
    private volatile boolean closed;

    /**
     * @param counters of the node's driver; read until the watchman is closed
     * @param hangs told once, on the watchman's thread, that the disk takes nothing: what has happened, in words
     * @param failed told why the watchman has ended by itself
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

    /** Looks once; returns whether the disk is worth another look. On the watchman's thread. */
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

    /** Returns what there is to be said of a slow disk, once a minute at most; empty: nothing. Any thread. */
    Optional<String> takeSlow() {
        return Optional.ofNullable(slow.getAndSet(null));
    }

    /** Ends before the driver does, whose memory it reads. */
    @Override
    public void close() {
        closed = true;
        thread.awaitEnd();
    }
}
