package dev.msgrelay.loadgen.plan;

import dev.msgrelay.loadgen.message.OrderTrace;
import java.util.List;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** The final report of a subscriber process, or of all subscriber processes together. */
public record Got(List<Received> subscribers) {
    /**
     * The report on one subscriber.
     *
     * @param bytes bytes received within the window, with frame headers
     * @param beforeTheirTime number of messages that arrived before their intended sending time
     * @param samples number of recorded latencies; -1: the subscriber received the window too late
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
