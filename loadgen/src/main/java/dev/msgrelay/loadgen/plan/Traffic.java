package dev.msgrelay.loadgen.plan;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The messages and bytes within the measured window. The bytes include frame headers. */
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
