package dev.msgrelay.loadgen.plan;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Traffic within the measured window.
 *
 * @param bytes on the wire, frame headers included
 * @param nanos length of the window
 */
public record Traffic(long messages, long bytes, long nanos) {

    @JsonProperty
    public double messagesPerSecond() {
        return messages * 1e9 / nanos;
    }

    @JsonProperty
    public double bytesPerSecond() {
        return bytes * 1e9 / nanos;
    }
}
