package dev.msgrelay.loadgen.host;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how long a cache line takes from one core to another. On a virtual machine this time changes, and all
 * latencies of a relay change with it.
 */
public final class CoreHop {
    private static final int ROUNDS = 5;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    /** Round trips between two readings of the clock. */
    private static final int BATCH = 512;

    /** After this many readings of the shared value without an answer, the other thread has probably lost its core. */
    private static final int SPINS_BEFORE_YIELD = 5_000;

    private static final long STOP = -1;

    /** No undisturbed hop takes this long. If one does, a thread had to wait for its core. */
    private static final double LOST_CORE_NANOS = 1_000;

    private CoreHop() {}

    /** Returns the nanoseconds of one hop: the median of several rounds, which take about 200 ms together. */
    public static double measureNanos() throws InterruptedException {
        double[] rounds = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            rounds[i] = round();
        }
        Arrays.sort(rounds);
        return rounds[ROUNDS / 2];
    }

    static boolean isUndisturbed(double nanos) {
        return nanos < LOST_CORE_NANOS;
    }

    private static double round() throws InterruptedException {
        AtomicLong ball = new AtomicLong();
        Thread other = new Thread(() -> answer(ball), "core-hop");
        other.setDaemon(true);
        other.start();
        long best = Long.MAX_VALUE;
        long start = System.nanoTime();
        long now = start;
        long ping = 1;
        while (now - start < ROUND_NANOS) {
            for (int i = 0; i < BATCH; i++, ping += 2) {
                ball.set(ping);
                awaitValue(ball, ping + 1);
            }
            long then = now;
            now = System.nanoTime();
            best = Math.min(best, now - then);
        }
        ball.set(STOP);
        other.join();
        // The fastest batch is the one that other programs disturbed least.
        return (double) best / (2 * BATCH);
    }

    private static void answer(AtomicLong ball) {
        long expected = 1;
        while (awaitValue(ball, expected) != STOP) {
            ball.set(expected + 1);
            expected += 2;
        }
    }

    private static long awaitValue(AtomicLong ball, long wanted) {
        int spins = 0;
        long value;
        while ((value = ball.get()) != wanted && value != STOP) {
            if (++spins > SPINS_BEFORE_YIELD) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
        return value;
    }
}
