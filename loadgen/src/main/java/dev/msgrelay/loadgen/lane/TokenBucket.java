package dev.msgrelay.loadgen.lane;

/**
 * How {@code tc tbf} keeps a link's rate. A bucket of {@code burst} bytes fills at the rate; a packet takes its length
 * out of it, or waits in a queue.
 *
 * <p>The bucket has to hold what the link could have carried while nobody was looking, or that is lost for good: the
 * kernel's timer comes late when the cores are busy, by a tick at worst. And it has to hold the largest packet that TCP
 * hands down in one piece (64 KiB, to be cut late or, between two namespaces, never): a larger one than the bucket is
 * cut by tbf itself, which costs several times the CPU time. Four milliseconds of the rate is tc's own rule for kernels
 * of 250 Hz; it is also what a window may get too much, once: 0.4 % of a second.
 *
 * <p>The queue takes 50 ms more of the rate. TCP keeps about a millisecond of each connection's bytes in it, so it
 * fills only where many connections start at once; what does not fit is dropped and sent again.
 *
 * @param bitsPerSecond the rate, counted from MAC header to the end of each packet
 * @param queueMillis how long a packet may wait; what comes on top is dropped
 */
record TokenBucket(long bitsPerSecond, long burst, int queueMillis) {
    /** The largest packet that TCP hands down, with all its headers, and to spare. */
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
