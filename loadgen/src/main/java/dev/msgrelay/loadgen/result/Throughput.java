package dev.msgrelay.loadgen.result;

import java.util.List;

/**
 * How much passed.
 *
 * @param in what the publishers sent; null where nobody counts it
 * @param out what all subscribers got together
 * @param ingressFraction of the ceiling, 0..1; NaN where none is known or the publishers are not across the link
 * @param egressFraction the same of what the subscribers got
 * @param timeline the measured part in steps; may be empty
 */
public record Throughput(
        Flow in, Flow out, double ingressFraction, double egressFraction, List<TimelinePoint> timeline) {
    public Throughput {
        timeline = List.copyOf(timeline);
    }
}
