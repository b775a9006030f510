package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.load.LoadMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * The latencies of bursts, one message of each producer. The device's thread, or whichever thread writes to it, hands
 * over messages one at a time; the controlling thread waits for whole bursts.
 */
final class BurstTally implements SlowDevice.Acknowledged {
    private final FrameCheck check;
    private final long[] latencies;
    private final Semaphore whole = new Semaphore(0);
    private final List<Burst> bursts = new ArrayList<>();
    private int come;

    /** One burst, in nanoseconds. */
    record Burst(double best, double average, double worst) {
        static Burst of(long... latencies) {
            return new Burst(
                    Arrays.stream(latencies).min().orElseThrow(),
                    Arrays.stream(latencies).average().orElseThrow(),
                    Arrays.stream(latencies).max().orElseThrow());
        }
    }

    BurstTally(int messages, FrameCheck check) {
        this.check = check;
        this.latencies = new long[messages];
    }

    @Override
    public synchronized void message(int type, ByteBuffer body, long nanos) {
        if (!check.onMessage(type, body)) {
            return;
        }
        latencies[come++] = nanos - LoadMessage.timeAt(body, body.position());
        if (come == latencies.length) {
            bursts.add(Burst.of(latencies));
            come = 0;
            whole.release();
        }
    }

    /** Completes once for every burst of which all messages have come. */
    Semaphore whole() {
        return whole;
    }

    /** All whole bursts so far. */
    synchronized List<Burst> bursts() {
        return List.copyOf(bursts);
    }
}
