package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.FrameLayout;
import java.util.Locale;

/**
 * Messages within a time.
 *
 * @param messages number of messages
 * @param bytes bytes on the wire, headers included
 * @param nanos the time that they took
 */
record Speed(long messages, long bytes, long nanos) {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Bytes of the bodies of messages that take so many bytes on the wire: both commands print these in their sums. */
    static long bodyBytes(long bytes, long messages) {
        return bytes - messages * FrameLayout.HEADER_LENGTH;
    }

    long millis() {
        return Math.round(nanos / 1e6);
    }

    long messagesPerSecond() {
        return (long) (messages * NANOS_PER_SECOND / Math.max(1, nanos));
    }

    /** Megabytes per second; MB are 10^6 bytes. */
    double megabytesPerSecond() {
        return bytes / 1e6 * NANOS_PER_SECOND / Math.max(1, nanos);
    }

    /** The report's line, in the form of the article that this project grew out of. */
    String line() {
        return "Time for " + messages + " msg: " + millis() + "; speed: " + messagesPerSecond() + " msg/s; "
                + megabytes() + " MB/s";
    }

    private String megabytes() {
        return String.format(Locale.ROOT, "%.1f", megabytesPerSecond());
    }

    String json(String event) {
        return "{\"event\":\"" + event + "\",\"messages\":" + messages + ",\"bytes\":" + bytes + ",\"ms\":" + millis()
                + ",\"msgPerSec\":" + messagesPerSecond() + ",\"mbPerSec\":" + megabytes() + "}";
    }
}
