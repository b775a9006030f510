package dev.msgrelay.loadgen.lane;

/**
 * The parameters of {@code tc tbf}, which limits the rate of a link. Tokens flow into a bucket at that rate, up to
 * {@code burst} bytes. A packet takes as many tokens as it has bytes out of the bucket, or waits in a queue.
 *
 * <p>The bucket has room for the tokens of one kernel tick, since the kernel's timer may be late by a tick. It also has
 * room for the largest packet that TCP passes down in one piece (64 KiB). Otherwise tbf would split that packet, which
 * takes several times the CPU time. The tick is 4 ms, as tc itself assumes. A measured window may contain the traffic
 * of one tick too much, which is 0.4 % of a second.
 *
 * <p>The queue has room for 50 ms of the rate. TCP keeps about a millisecond of each connection in the queue. So it is
 * full only if many connections start at once. Packets are then dropped and retransmitted.
 */
record TokenBucket(long bitsPerSecond, long burst) {
    /** This is more than the largest packet that TCP passes down, with all its headers. */
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
