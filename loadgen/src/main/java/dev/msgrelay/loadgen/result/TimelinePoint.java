package dev.msgrelay.loadgen.result;

/**
 * What passed around one moment of a run.
 *
 * @param nanos since the measured part began
 * @param in messages a second
 * @param out messages a second, all subscribers together
 * @param bytesIn a second
 * @param bytesOut a second
 * @param lagBytes the largest lag of a subscriber, or -1 where the relay does not tell
 */
public record TimelinePoint(long nanos, double in, double out, double bytesIn, double bytesOut, long lagBytes) {}
