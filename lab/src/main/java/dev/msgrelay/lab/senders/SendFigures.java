package dev.msgrelay.lab.senders;

/** Adds up what clients receive from {@code from} to {@link #end}. One thread. */
final class SendFigures {
    private final int largest;
    private final long from;
    private long bytes;
    private long waits;
    private double waited;
    private long bytesOfLargest;
    private double nanosOfLargest;
    private long nanos;

    /** The largest file has this number. */
    SendFigures(int largest, long from) {
        this.largest = largest;
        this.from = from;
    }

    /** A file's first bytes are there. */
    void began(long waitedNanos) {
        waits++;
        waited += waitedNanos;
    }

    void received(SentFile file, int length) {
        bytes += length;
        if (file.number() == largest) {
            bytesOfLargest += length;
        }
    }

    /** The file is there, whole and right. */
    void ended(SentFile file, long beganAt, long now) {
        if (file.number() == largest) {
            nanosOfLargest += now - Math.max(beganAt, from);
        }
    }

    void end(long now) {
        nanos = now - from;
    }

    long bytes() {
        return bytes;
    }

    /** From asking to the first byte, in seconds, on average. */
    double initialSeconds() {
        return waits == 0 ? Double.NaN : waited / waits / 1e9;
    }

    /** MB/s of a client that is being sent the largest file; NaN if nobody got any of it. */
    double speed() {
        return bytesOfLargest == 0 ? Double.NaN : bytesOfLargest * 1e3 / nanosOfLargest;
    }

    /** MB/s of all together. */
    double throughput() {
        return bytes * 1e3 / nanos;
    }
}
