package dev.msgrelay.loadgen.rig;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.evidence.Disturbances;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.message.OrderTrace;
import dev.msgrelay.loadgen.plan.Got;
import dev.msgrelay.loadgen.plan.Got.Received;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.Sent;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import dev.msgrelay.loadgen.result.RunRecord.Observed.Kind;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.text.ShortText;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether a run is valid. In a valid run every subscriber got every message once, unchanged, and in the same
 * order as the other subscribers. If the policy let a subscriber miss messages, the relay must have reported that to
 * the subscriber.
 */
public final class Verdict {

    static final String EMPTY_WINDOW = "no message arrived within the measured window";

    private Verdict() {}

    public static Outcome of(Load load, Traffic out, Correctness correctness, Signals signals, Got got) {
        List<String> environment = new ArrayList<>(Disturbances.of(signals));
        List<String> failures = new ArrayList<>(faults(correctness, load));
        if (isEmpty(load, out)) {
            emptyWindow(load, failures, environment);
        }
        long early = got.sum(Received::beforeTheirTime);
        if (early > 0) {
            environment.add(
                    format("%,d latencies came out below 0: publishers and subscribers do not share a clock", early));
        }
        return new Outcome(failures, environment, observed(signals, correctness), false);
    }

    private static boolean isEmpty(Load load, Traffic out) {
        return load.publishers() > 0 && load.subscribers() > 0 && out.messages() == 0;
    }

    /**
     * Adds that the window was empty. That is a failure, unless the machine was busy, and every message arrived later:
     * then the run has no figures, but nothing in it was wrong.
     *
     * @param environment disturbances of the machine
     */
    static void emptyWindow(Load load, List<String> failures, List<String> environment) {
        if (environment.isEmpty() || !failures.isEmpty() || !load.isChecked()) {
            failures.add(EMPTY_WINDOW);
        } else {
            environment.set(0, EMPTY_WINDOW + ": " + environment.get(0));
        }
    }

    static List<Observed> observed(Signals signals, Correctness correctness) {
        List<Observed> all = new ArrayList<>();
        if (signals.stoodStill()) {
            all.add(new Observed(Kind.STOOD_STILL, signals.still().withoutDeliveries()));
        }
        String behind = signals.isLateByRelay() ? "; behind a relay that did not take them in time" : "";
        schedule(signals.rates(), correctness.schedule())
                .forEach(line -> all.add(new Observed(Kind.SCHEDULE_MISSED, line + behind)));
        return all;
    }

    static Correctness correctness(Load load, Sent sent, Got got, Got slow) {
        long samples = sent.samples(load.sampling());
        List<Received> all = new ArrayList<>(got.subscribers());
        all.addAll(slow.subscribers());
        List<SubscriberResult> results = withOrder(all);
        for (int i = 0; i < got.subscribers().size(); i++) {
            results.set(i, results.get(i).withSamples(all.get(i).samples(), samples));
        }
        int notSlow = got.subscribers().size();
        return new Correctness(
                load.isChecked(),
                results.subList(0, notSlow),
                results.subList(notSlow, results.size()),
                sent.schedule(),
                sent.sum(Sent.Published::messages),
                sent.sum(Sent.Published::acknowledged));
    }

    private static List<SubscriberResult> withOrder(List<Received> all) {
        List<SubscriberResult> results = new ArrayList<>();
        List<Integer> compared = new ArrayList<>();
        List<OrderTrace> traces = new ArrayList<>();
        for (Received one : all) {
            if (one.order() != null && one.result().hasOrder()) {
                compared.add(results.size());
                traces.add(one.order());
            }
            results.add(one.result());
        }
        long[] differences = OrderTrace.differences(traces);
        for (int i = 0; i < differences.length; i++) {
            int index = compared.get(i);
            results.set(index, results.get(index).withOtherOrder(differences[i]));
        }
        return results;
    }

    static List<String> schedule(Rates rates, Punctuality punctuality) {
        List<String> marks = new ArrayList<>();
        if (rates.wanted() > 0 && !rates.kept()) {
            marks.add(format(
                    "of %,.0f msg/s %,.0f left the publishers and %,.0f reached each subscriber",
                    rates.wanted(), rates.in(), rates.out()));
        }
        if (punctuality.lateShare() > Rates.MAX_LATE_SHARE) {
            marks.add(format(
                    "%,d of %,d messages (%.2f %%) left more than 1 ms late, the latest %.1f ms; over the limit of %.1f %%",
                    punctuality.late(),
                    punctuality.scheduled(),
                    punctuality.lateShare() * 100,
                    punctuality.worstNanos() / 1e6,
                    Rates.MAX_LATE_SHARE * 100));
        }
        return marks.isEmpty() ? marks : List.of("schedule not kept: " + String.join("; ", marks));
    }

    static List<String> faults(Correctness correctness, Load load) {
        Policy policy = load.policy();
        List<String> failures = new ArrayList<>();
        for (SubscriberResult subscriber : correctness.subscribers()) {
            check("subscriber " + subscriber.index() + ": ", subscriber, policy, failures);
        }
        for (SubscriberResult slow : correctness.slow()) {
            checkSlow(slow, failures);
        }
        return failures;
    }

    /** Checks a slow reader. It stops reading in the middle of the stream, so later messages do not count as lost. */
    private static void checkSlow(SubscriberResult slow, List<String> failures) {
        String who = "slow subscriber: ";
        count(slow.untold(), who, "lost without a word", failures);
        checkMessages(who, slow, failures);
        if (slow.closed() != null && slow.closeReason() != CloseReason.SLOW_SUBSCRIBER.code()) {
            failures.add(who + "connection ended: " + slow.closed());
        }
    }

    private static void check(String who, SubscriberResult subscriber, Policy policy, List<String> failures) {
        boolean cutOff = policy == Policy.DISCONNECT
                && subscriber.closed() != null
                && subscriber.closeReason() == CloseReason.SLOW_SUBSCRIBER.code();
        // Messages after a disconnection do not count, since an ERROR frame announced the disconnection.
        long missing =
                subscriber.faults().lost() - (cutOff ? subscriber.faults().tail() : 0);
        long told = policy == Policy.SKIP ? subscriber.told().missed() : 0;
        long untold = Math.max(0, missing - told);
        long undelivered = Math.min(untold, subscriber.undelivered());
        count(untold - undelivered, who, policy == Policy.SKIP ? "lost without a word" : "lost", failures);
        count(
                undelivered,
                who,
                format("not delivered within %.1f s", subscriber.faults().waitedMillis() / 1e3),
                failures);
        if (told > missing) {
            failures.add(who + "told that " + told + (told == 1 ? " message does" : " messages do") + " not come, "
                    + (told - missing) + " more than are missing");
        }
        checkMessages(who, subscriber, failures);
        if (subscriber.faults().unsampled() > 0) {
            failures.add(who + ShortText.counted(subscriber.faults().unsampled(), "sample")
                    + " of the latency missing or too many");
        }
        if (subscriber.closed() != null && !cutOff) {
            failures.add(who + "connection ended: " + subscriber.closed());
        }
    }

    private static void checkMessages(String who, SubscriberResult subscriber, List<String> failures) {
        count(subscriber.faults().duplicated(), who, "duplicated", failures);
        count(subscriber.faults().reordered(), who, "reordered", failures);
        count(subscriber.faults().corrupted(), who, "corrupted", failures);
        count(subscriber.faults().foreign(), who, "foreign: nobody of this run sent them", failures);
        if (subscriber.told().untrue() > 0) {
            failures.add(
                    who + "told " + subscriber.told().untrue() + " times that the stream stands where it does not");
        }
        if (subscriber.state().wrong() > 0) {
            failures.add(who + "the state was wrong at "
                    + ShortText.counted(subscriber.state().wrong(), "PING") + ", first: "
                    + subscriber.state().first());
        }
        if (subscriber.faults().otherOrder() != SubscriberResult.SAME_ORDER) {
            failures.add(who + "got the messages of different publishers in another order than other subscribers,"
                    + " from message " + subscriber.faults().otherOrder() + " of the stream on");
        }
    }

    private static void count(long messages, String who, String what, List<String> failures) {
        if (messages > 0) {
            failures.add(who + ShortText.counted(messages, "message") + " " + what);
        }
    }
}
