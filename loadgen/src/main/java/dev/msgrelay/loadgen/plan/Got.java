package dev.msgrelay.loadgen.plan;

import dev.msgrelay.loadgen.message.OrderTrace;
import java.util.List;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** The report of a subscriber process at its end, or of all processes together. */
public record Got(List<Received> subscribers) {
    /**
     * One subscriber.
     *
     * @param result the result, without the comparison with other subscribers
     * @param bytes on the wire, within the window
     * @param beforeTheirTime messages that came before their intended time of sending
     * @param samples recorded latencies; -1: the subscriber heard of the window too late
     * @param latency null where nothing was checked
     * @param order of all messages, null where nothing was checked
     */
    public record Received(
            SubscriberResult result,
            long bytes,
            Still pauses,
            long beforeTheirTime,
            long samples,
            Histogram latency,
            OrderTrace order) {}

    public static Got sum(List<Got> all) {
        return new Got(all.stream().flatMap(one -> one.subscribers.stream()).toList());
    }

    public long sum(ToLongFunction<Received> figure) {
        return subscribers.stream().mapToLong(figure).sum();
    }

    public Still longestPause() {
        return subscribers.stream().map(Received::pauses).reduce(Still.NONE, Still::orLonger);
    }
}
