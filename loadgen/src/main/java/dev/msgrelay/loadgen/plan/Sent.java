package dev.msgrelay.loadgen.plan;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * The report of a publisher process at its end, or of all processes together.
 *
 * @param schedule empty at full speed
 */
public record Sent(List<Published> publishers, Punctuality schedule) {
    /** The report of a contestant that sends by itself and does not count. */
    public static final Sent NOTHING = new Sent(List.of(), Punctuality.NONE);

    /**
     * One publisher.
     *
     * @param messages of the whole run
     * @param firstTimed the first message whose time is within the window; -1: the publisher heard of the window too
     *     late
     * @param acknowledged acknowledged messages of the whole run; 0 without acknowledgements
     * @param acknowledgedAfter times from the intended time of sending; null without acknowledgements
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
     * Messages whose latency every subscriber has to record: of those that were meant for the window, each whose number
     * is a multiple of {@code sampling}; -1 where a publisher does not know.
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
