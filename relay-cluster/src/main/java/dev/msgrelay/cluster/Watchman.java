package dev.msgrelay.cluster;

import dev.msgrelay.cluster.DiskWatch.Progress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Looks whether the node's archive still gets to its disk, and tells where it does not. A thread of its own, which touches no
 * file, asks no archive and logs nothing: all that may hang as the disk does.
 */
final class Watchman implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final CountersReader counters;
    private final Consumer<String> hangs;
    private final DiskWatch disk = new DiskWatch();
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
        while (!closed) {
            Map<Long, Progress> now = RecordingCounters.read(counters);
            long nanos = disk.look(now, System.nanoTime());
            if (nanos >= DiskWatch.PATIENCE_NANOS) {
                long missing =
                        now.values().stream().mapToLong(Progress::missing).sum();
                hangs.accept("has taken nothing of the cluster's log for " + TimeUnit.NANOSECONDS.toSeconds(nanos)
                        + " s, and " + missing + " bytes wait");
                return;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Ends before the driver does, whose memory it reads. */
    @Override
    public void close() {
        closed = true;
        thread.awaitEnd();
    }
}
