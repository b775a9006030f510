package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.bound.Rates;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether a run is valid: nothing lost, duplicated, reordered or corrupted that the slow-subscriber policy does not
 * explain, and the schedule kept.
 */
public final class Verdict {
    /** The share of messages of a fixed rate that may leave more than a millisecond late. */
    public static final double MAX_LATE_SHARE = Rates.MAX_LATE_SHARE;

    private Verdict() {}

    /** Everything that is wrong with a run, one line each; empty for a valid one. */
    public static List<String> failures(RunResult result, Policy policy) {
        List<String> failures = new ArrayList<>(faults(result, policy));
        failures.addAll(failures(result.published().punctuality()));
        return failures;
    }

    /** What is wrong with a run but for its schedule: with what became of the messages. */
    public static List<String> faults(RunResult result, Policy policy) {
        List<String> faults = new ArrayList<>(failures(result.received(), result.load(), policy));
        faults.addAll(failures(result.slow()));
        return faults;
    }

    /** Whether the publishers kept their schedule. */
    public static List<String> failures(Punctuality punctuality) {
        if (punctuality.lateShare() <= MAX_LATE_SHARE) {
            return List.of();
        }
        return List.of(String.format(
                Locale.ROOT,
                "the schedule was not kept: %,d of %,d messages (%.2f %%) left more than 1 ms late, the latest %.1f ms;"
                        + " over the limit of %.1f %%",
                punctuality.late(),
                punctuality.scheduled(),
                punctuality.lateShare() * 100,
                punctuality.worstNanos() / 1e6,
                MAX_LATE_SHARE * 100));
    }

    /** What is wrong with what the subscribers got. */
    public static List<String> failures(Received received, Load load, Policy policy) {
        List<String> failures = new ArrayList<>();
        for (SubscriberResult subscriber : received.subscribers()) {
            check(subscriber, policy, failures);
        }
        if (load.publishers() > 0 && received.traffic().messages() == 0) {
            failures.add("no message arrived within the measured window");
        }
        return failures;
    }

    /** What is wrong with what became of the slow subscribers. */
    public static List<String> failures(List<SlowResult> slow) {
        List<String> failures = new ArrayList<>();
        for (SlowResult one : slow) {
            if (one.untold() > 0) {
                failures.add("slow subscriber: missed " + one.untold() + " messages without being told");
            }
            slowFaults(one.faults(), failures);
            if (one.closed() != null && one.closeReason() != CloseReason.SLOW_SUBSCRIBER.code()) {
                failures.add("slow subscriber: connection ended: " + one.closed());
            }
        }
        return failures;
    }

    private static void slowFaults(SlowResult.Faults faults, List<String> failures) {
        String who = "slow subscriber: ";
        count(faults.duplicated(), who, "duplicated", failures);
        count(faults.reordered(), who, "reordered", failures);
        count(faults.corrupted(), who, "corrupted", failures);
        if (faults.untrue() > 0) {
            failures.add(who + "told " + faults.untrue() + " times that the stream stands where it does not");
        }
    }

    private static void check(SubscriberResult subscriber, Policy policy, List<String> failures) {
        String who = "subscriber " + subscriber.index() + ": ";
        if (subscriber.lost() > unavoidable(subscriber, policy)) {
            failures.add(who + subscriber.lost() + " messages lost");
        }
        count(subscriber.duplicated(), who, "duplicated", failures);
        count(subscriber.reordered(), who, "reordered", failures);
        count(subscriber.corrupted(), who, "corrupted", failures);
        if (subscriber.closed() != null && !wasCutOff(subscriber, policy)) {
            failures.add(who + "connection ended: " + subscriber.closed());
        }
    }

    /** What no policy explains. */
    private static void count(long messages, String who, String what, List<String> failures) {
        if (messages > 0) {
            failures.add(who + messages + " messages " + what);
        }
    }

    /** How many messages this subscriber may miss. */
    private static long unavoidable(SubscriberResult subscriber, Policy policy) {
        return switch (policy) {
            case BACKPRESSURE -> 0;
            case DISCONNECT -> wasCutOff(subscriber, policy) ? subscriber.tail() : 0;
            case SKIP -> Long.MAX_VALUE;
            case RELAY_DEFAULT -> throw new IllegalArgumentException("no policy is decided on");
        };
    }

    private static boolean wasCutOff(SubscriberResult subscriber, Policy policy) {
        return policy == Policy.DISCONNECT
                && subscriber.closed() != null
                && subscriber.closeReason() == CloseReason.SLOW_SUBSCRIBER.code();
    }
}
