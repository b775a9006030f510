package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.run.Verdict;
import java.util.List;

/**
 * Whether every message came, once, in order, and left in time.
 *
 * @param checked subscribers looked at every message; otherwise they only counted
 */
public record Correctness(boolean checked, List<SubscriberRecord> subscribers, Schedule schedule) {
    public Correctness {
        subscribers = List.copyOf(subscribers);
    }

    /**
     * One subscriber.
     *
     * @param messages within the measured part
     * @param lost numbers that never came, over the whole run, and of these
     * @param tail those after the last message that came
     * @param closed why its connection ended before the run did, or null
     */
    public record SubscriberRecord(
            int index,
            long messages,
            long lost,
            long tail,
            long duplicated,
            long reordered,
            long corrupted,
            String closed) {}

    /**
     * How well the publishers kept their times.
     *
     * @param scheduled messages with an intended time; 0 at full speed
     * @param late those that left more than a millisecond after it
     * @param worstLateNanos how much the latest of them was behind
     * @param means what the system gave the publishers for it; null at full speed, or where it was not told
     */
    public record Schedule(long scheduled, long late, long worstLateNanos, String means) {
        /** No times to keep. */
        public static final Schedule NONE = new Schedule(0, 0, 0, null);

        /** Whether no more were late than a run at a fixed rate may have. */
        public boolean kept() {
            return late <= Verdict.MAX_LATE_SHARE * scheduled;
        }
    }
}
