package dev.msgrelay.loadgen.result;

/**
 * What passed within the measured part of a run, all connections together.
 *
 * @param bytes of payload: bodies and frame headers
 * @param nanos length of the measured part
 */
public record Flow(long messages, long bytes, long nanos) {
    private static final double SECOND_NANOS = 1e9;

    /** 0 when no time has passed. */
    public double messagesPerSecond() {
        return perSecond(messages);
    }

    /** 0 when no time has passed. */
    public double bytesPerSecond() {
        return perSecond(bytes);
    }

    private double perSecond(long amount) {
        return nanos == 0 ? 0 : amount * SECOND_NANOS / nanos;
    }
}
