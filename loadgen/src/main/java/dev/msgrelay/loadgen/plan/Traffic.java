package dev.msgrelay.loadgen.plan;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Traffic within the measured window.
 *
 * @param bytes on the wire, frame headers included
 * @param nanos length of the window
 */
public record Traffic(long messages, long bytes, long nanos) {
    private static final double SECOND_NANOS = 1e9;

    @JsonProperty
    public double messagesPerSecond() {
        return messages * SECOND_NANOS / nanos;
    }

    @JsonProperty
    public double bytesPerSecond() {
        return bytes * SECOND_NANOS / nanos;
    }
}
