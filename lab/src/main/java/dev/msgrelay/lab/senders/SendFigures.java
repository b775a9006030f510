package dev.msgrelay.lab.senders;

import dev.msgrelay.lab.senders.FileSet.SentFile;
import java.util.List;

/** Adds up what clients receive from {@code from} to {@link #end}. One thread. */
final class SendFigures implements Client.Listener {
    private static final double NANOS = 1e9;
    private static final double NANOS_TO_MEGA = 1e3;

    private final int largest;
    private final long from;
    private long bytes;
    private long waits;
    private double waited;
    private long bytesOfLargest;
    private double nanosOfLargest;
    private long nanos;

    /**
     * @param largest the number of the largest file
     */
    SendFigures(int largest, long from) {
        this.largest = largest;
        this.from = from;
    }

    @Override
    public void began(long waitedNanos) {
        waits++;
        waited += waitedNanos;
    }

    @Override
    public void received(SentFile file, int length) {
        bytes += length;
        if (file.number() == largest) {
            bytesOfLargest += length;
        }
    }

    @Override
    public void ended(SentFile file, long beganAt, long now) {
        if (file.number() == largest) {
            nanosOfLargest += now - Math.max(beganAt, from);
        }
    }

    /** Adds what the clients are at: who still waits for a first byte has waited so long at least. */
    void end(long now, List<Client> clients) {
        nanos = now - from;
        for (Client client : clients) {
            if (client.received() == 0) {
                began(now - client.askedAt());
            } else if (client.file().number() == largest) {
                nanosOfLargest += now - Math.max(client.firstByteAt(), from);
            }
        }
    }

    long bytes() {
        return bytes;
    }

    /** From asking to the first byte, in seconds, on average. */
    double initialSeconds() {
        return waits == 0 ? Double.NaN : waited / waits / NANOS;
    }

    /** MB/s of a client that is being sent the largest file; NaN if nobody got any of it. */
    double speed() {
        return bytesOfLargest == 0 ? Double.NaN : bytesOfLargest * NANOS_TO_MEGA / nanosOfLargest;
    }

    /** MB/s of all together. */
    double throughput() {
        return bytes * NANOS_TO_MEGA / nanos;
    }
}
