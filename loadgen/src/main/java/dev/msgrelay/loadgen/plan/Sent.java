package dev.msgrelay.loadgen.plan;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** The final report of a publisher process, or of all publisher processes together. */
public record Sent(List<Published> publishers, Punctuality schedule) {
    public static final Sent NOTHING = new Sent(List.of(), Punctuality.NONE);

    /**
     * The report on one publisher.
     *
     * @param firstTimed number of the first message whose intended time is within the window; -1: the publisher
     *     received the window too late
     * @param acknowledgedAfter times from the intended sending time to the acknowledgement; null without
     *     acknowledgements
     */
    public record Published(
            int id,
            long messages,
            long firstTimed,
            long messagesMeasured,
            long bytesMeasured,
            long acknowledged,
            Histogram acknowledgedAfter) {}

    public static Sent sum(List<Sent> all) {
        return new Sent(
                all.stream().flatMap(one -> one.publishers.stream()).toList(),
                new Punctuality(
                        all.stream().mapToLong(one -> one.schedule.late()).sum(),
                        all.stream()
                                .mapToLong(one -> one.schedule.worstNanos())
                                .max()
                                .orElse(0),
                        Histograms.sum(all.stream().map(one -> one.schedule.lateness()))));
    }

    public long sum(ToLongFunction<Published> figure) {
        return publishers.stream().mapToLong(figure).sum();
    }

    public Map<Integer, Long> byPublisher() {
        Map<Integer, Long> sent = new TreeMap<>();
        publishers.forEach(one -> sent.put(one.id(), one.messages()));
        return sent;
    }

    /**
     * Returns how many latencies each subscriber should have recorded: the messages in the window whose number is a
     * multiple of {@code sampling}. Returns -1 if a publisher does not know its first message in the window.
     */
    public long samples(int sampling) {
        return publishers.stream().anyMatch(one -> one.firstTimed < 0)
                ? -1
                : sum(one -> multiplesBelow(one.messages, sampling) - multiplesBelow(one.firstTimed, sampling));
    }

    private static long multiplesBelow(long number, int sampling) {
        return (number + sampling - 1) / sampling;
    }
}
