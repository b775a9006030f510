package dev.msgrelay.loadgen.lane;

/**
 * The parameters of {@code tc tbf}, which keeps a link's rate. A bucket of {@code burst} bytes fills at the rate; a
 * packet takes its length out of the bucket, or waits in a queue.
 *
 * <p>The bucket holds a tick of the rate, by which the kernel's timer comes late at worst; a smaller one would lose
 * that time. It also holds the largest packet that TCP passes down in one piece (64 KiB), since tbf cuts larger ones at
 * several times the CPU time. A tick of 250 Hz is tc's own rule; a window may get that much too much, once: 0.4 % of a
 * second.
 *
 * <p>The queue holds 50 ms of the rate. TCP keeps about a millisecond of each connection in it, so it fills only where
 * many connections start at once; packets beyond it are dropped and sent again.
 *
 * @param bitsPerSecond rate, counted from the MAC header to the end of each packet
 * @param queueMillis longest wait of a packet; later ones are dropped
 */
record TokenBucket(long bitsPerSecond, long burst, int queueMillis) {
    /** More than the largest packet of TCP with all its headers. */
    static final long LARGEST_PACKET = 128 << 10;

    private static final int TICKS_PER_SECOND = 250;
    private static final int QUEUE_MILLIS = 50;

    static TokenBucket of(LinkSpeed speed) {
        long tick = speed.bitsPerSecond() / Byte.SIZE / TICKS_PER_SECOND;
        return new TokenBucket(speed.bitsPerSecond(), Math.max(tick, LARGEST_PACKET), QUEUE_MILLIS);
    }

    /** The words after {@code tc qdisc add dev NAME root}. */
    String words() {
        return "tbf rate " + bitsPerSecond + "bit burst " + burst + " latency " + queueMillis + "ms";
    }
}
