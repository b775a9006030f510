package dev.msgrelay.loadgen.lane;

/**
 * The parameters of {@code tc tbf}, which limits the rate of a link. Tokens flow into a bucket at that rate, up to
 * {@code burst} bytes. A packet takes its length out of the bucket, or waits in a queue.
 *
 * <p>The bucket is as large as the rate in one kernel tick, since the kernel's timer may be late by a tick. It is at
 * least as large as the largest packet that TCP passes down in one piece (64 KiB), since tbf splits larger packets, for
 * several times the CPU time. The tick is 4 ms, as tc itself assumes. A measured window may contain this amount once
 * too much, which is 0.4 % of a second.
 *
 * <p>The queue has room for 50 ms of the rate. TCP keeps about a millisecond of each connection in it. So the queue
 * fills only if many connections start at once; then packets are dropped and retransmitted.
 */
record TokenBucket(long bitsPerSecond, long burst) {
    /** More than the largest packet that TCP passes down, with all its headers. */
    static final long LARGEST_PACKET = 128 << 10;

    private static final int TICKS_PER_SECOND = 250;
    private static final int QUEUE_MILLIS = 50;

    static TokenBucket of(LinkSpeed speed) {
        long tick = speed.bitsPerSecond() / Byte.SIZE / TICKS_PER_SECOND;
        return new TokenBucket(speed.bitsPerSecond(), Math.max(tick, LARGEST_PACKET));
    }

    String words() {
        return "tbf rate " + bitsPerSecond + "bit burst " + burst + " latency " + QUEUE_MILLIS + "ms";
    }
}
