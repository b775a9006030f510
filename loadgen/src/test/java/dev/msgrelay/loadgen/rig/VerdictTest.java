package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Sampled;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.message.StateCheck;
import dev.msgrelay.loadgen.plan.Got;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.Told;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VerdictTest {
    private static final SubscriberResult CLEAN = new SubscriberResult(0, 10, Faults.NONE, Told.NOTHING, null, 0);
    private static final int SLOW = CloseReason.SLOW_SUBSCRIBER.code();
    private static final Load LOAD = Load.oneToOne(100);
    /** Share of all cores that other programs take. */
    private static final double QUIET = 0.09;

    private static final Rates SENT = new Rates(1_000, 1_000, 1_000, 0, 10, 0, true);

    @ParameterizedTest
    @EnumSource(value = Policy.class, names = "RELAY_DEFAULT", mode = EnumSource.Mode.EXCLUDE)
    void aCleanRunIsValid(Policy policy) {
        assertThat(faults(policy, CLEAN)).isEmpty();
    }

    @Test
    void aLossUnderBackpressureIsAFailure() {
        assertThat(faults(Policy.BACKPRESSURE, lost(3, 0, null, 0))).containsExactly("subscriber 0: 3 messages lost");
        assertThat(faults(Policy.BACKPRESSURE, lost(3, 3, "reset", 0)))
                .as("nothing comes any more")
                .contains("subscriber 0: 3 messages lost");
    }

    /** Whoever stops to wait does not know what would have come: a disk that hangs for a while loses nothing. */
    @Test
    void whatWasStillToComeIsNotDeliveredAndNotLost() {
        SubscriberResult late = new SubscriberResult(
                0, 10, new Faults(5, 3, 0, 0, 0, 0, SubscriberResult.SAME_ORDER, 0, 10_400), Told.NOTHING, null, 0);
        assertThat(late.lost()).isEqualTo(2);
        assertThat(late.undelivered()).isEqualTo(3);
        assertThat(faults(Policy.BACKPRESSURE, late))
                .containsExactly(
                        "subscriber 0: 2 messages lost", "subscriber 0: 3 messages not delivered within 10.4 s");
        assertThat(faults(Policy.SKIP, late))
                .containsExactly(
                        "subscriber 0: 2 messages lost without a word",
                        "subscriber 0: 3 messages not delivered within 10.4 s");
    }

    @Test
    void skipExplainsWhatAGapTold() {
        assertThat(faults(Policy.SKIP, told(3, 3))).isEmpty();
        assertThat(faults(Policy.SKIP, told(3, 0))).containsExactly("subscriber 0: 3 messages lost without a word");
        assertThat(faults(Policy.SKIP, told(3, 2))).containsExactly("subscriber 0: 1 message lost without a word");
        assertThat(faults(Policy.SKIP, told(3, 5)))
                .containsExactly("subscriber 0: told that 5 messages do not come, 2 more than are missing");
    }

    @Test
    void disconnectExplainsTheTailOfASubscriberThatWasCutOff() {
        assertThat(faults(Policy.DISCONNECT, lost(3, 3, "too slow", SLOW))).isEmpty();
        assertThat(faults(Policy.DISCONNECT, lost(3, 2, "too slow", SLOW)))
                .as("a hole before the end is not explained")
                .containsExactly("subscriber 0: 1 message lost");
        assertThat(faults(Policy.DISCONNECT, lost(3, 3, "connection reset", 0)))
                .containsExactly("subscriber 0: 3 messages lost", "subscriber 0: connection ended: connection reset");
    }

    @ParameterizedTest
    @EnumSource(value = Policy.class, names = "RELAY_DEFAULT", mode = EnumSource.Mode.EXCLUDE)
    void noPolicyExplainsWhatIsWrongWithAMessageOrItsPlace(Policy policy) {
        SubscriberResult wrong =
                new SubscriberResult(4, 10, new Faults(0, 0, 1, 2, 3, 4, 512, 6, 0), new Told(0, 0, 5), null, 0);
        assertThat(faults(policy, wrong))
                .containsExactly(
                        "subscriber 4: 1 message duplicated",
                        "subscriber 4: 2 messages reordered",
                        "subscriber 4: 3 messages corrupted",
                        "subscriber 4: 4 messages foreign: nobody of this run sent them",
                        "subscriber 4: told 5 times that the stream stands where it does not",
                        "subscriber 4: got the messages of different publishers in another order than other"
                                + " subscribers, from message 512 of the stream on",
                        "subscriber 4: 6 samples of the latency missing or too many");
    }

    @Test
    void aWrongStateIsAFailureWithItsTypeAndNumbers() {
        SubscriberResult.StateSeen seen =
                new SubscriberResult.StateSeen(9, 5, 2, new StateCheck.Wrong(101, 7, 90, StateCheck.NONE));
        assertThat(faults(Policy.BACKPRESSURE, new SubscriberResult(4, 10, Faults.NONE, Told.NOTHING, seen, null, 0)))
                .containsExactly("subscriber 4: the state was wrong at 2 PINGs, first: type 7 had none where message 90"
                        + " is the newest before sequence 101");
    }

    @Test
    void samplesAreCountedWhereAllMessagesHaveCome() {
        assertThat(CLEAN.withSamples(7, 9).faults().unsampled()).isEqualTo(2);
        assertThat(CLEAN.withSamples(9, 7).faults().unsampled()).isEqualTo(2);
        assertThat(CLEAN.withSamples(9, 9).faults().unsampled()).isZero();
        assertThat(CLEAN.withSamples(-1, 9))
                .as("it heard of the window too late")
                .isEqualTo(CLEAN);
        assertThat(CLEAN.withSamples(9, -1)).as("the publishers do not tell").isEqualTo(CLEAN);
        SubscriberResult lost = lost(2, 0, null, 0);
        assertThat(lost.withSamples(7, 9)).isEqualTo(lost);
    }

    @Test
    void aSlowSubscriberIsToldWhatItMisses() {
        assertThat(faultsOfSlow(told(7, 9))).as("it left in the middle").isEmpty();
        assertThat(faultsOfSlow(told(9, 7))).containsExactly("slow subscriber: 2 messages lost without a word");
        assertThat(faultsOfSlow(lost(0, 0, "too slow", SLOW))).isEmpty();
        assertThat(faultsOfSlow(lost(0, 0, "gone", 0))).containsExactly("slow subscriber: connection ended: gone");
        assertThat(faultsOfSlow(new SubscriberResult(0, 10, new Faults(0, 0, 1, 0, 0, 0), Told.NOTHING, null, 0)))
                .containsExactly("slow subscriber: 1 message duplicated");
    }

    @Test
    void silenceIsAFailure() {
        assertThat(silent(LOAD, CLEAN, QUIET).failures())
                .containsExactly("no message arrived within the measured window");
        assertThat(silent(LOAD.withCounts(0, 1), CLEAN, QUIET).failures())
                .as("without publishers silence is right")
                .isEmpty();
    }

    /** Everything came, only later: the run has no figures, and nothing was wrong. */
    @Test
    void silenceOnABusyMachineIsAMark() {
        Outcome busy = silent(LOAD, CLEAN, 0.43);
        assertThat(busy.failures()).isEmpty();
        assertThat(busy.environment())
                .containsExactly(
                        "no message arrived within the measured window: other programs took 43 % of all cores");
        assertThat(busy.counts()).isFalse();
        assertThat(silent(LOAD, lost(3, 0, null, 0), 0.43).failures())
                .as("a busy machine loses nothing")
                .containsExactly("subscriber 0: 3 messages lost", "no message arrived within the measured window");
        assertThat(silent(LOAD.withCheck(Check.NONE), CLEAN, 0.43).failures())
                .as("nobody knows whether it came later")
                .containsExactly("no message arrived within the measured window");
    }

    private static Outcome silent(Load load, SubscriberResult subscriber, double others) {
        Sampled sampled = new Sampled(
                20,
                List.of(),
                true,
                new MachineShare(2, 0.2, 0.1, 0.01, 0.6, others, "", 1),
                null,
                Queues.UNSEEN,
                Double.NaN);
        Signals signals = new Signals(
                SENT, sampled, RelayHolds.UNKNOWN, new LinkShare(Double.NaN, Double.NaN, true, true), Standstills.NONE);
        Correctness correctness =
                new Correctness(load.isChecked(), List.of(subscriber), List.of(), Punctuality.NONE, 0, 0);
        return Verdict.of(load, new Traffic(0, 0, 1), correctness, signals, new Got(List.of()));
    }

    @Test
    void upToOneMessageInAThousandMayBeLate() {
        assertThat(Verdict.schedule(SENT, punctuality(10, 10_000))).isEmpty();
        assertThat(Verdict.schedule(SENT, Punctuality.NONE)).isEmpty();
        assertThat(Verdict.schedule(SENT, punctuality(11, 10_000)))
                .containsExactly("schedule not kept: 11 of 10,000 messages (0.11 %) left more than 1 ms late, the"
                        + " latest 7.5 ms; over the limit of 0.1 %");
    }

    @Test
    void aRateThatWasNotReachedIsTheSameMark() {
        assertThat(Verdict.schedule(new Rates(1_000, 700, 650, 0, 10, 0, true), Punctuality.NONE))
                .containsExactly(
                        "schedule not kept: of 1,000 msg/s 700 left the publishers and 650 reached each subscriber");
        assertThat(Verdict.schedule(new Rates(1_000, 700, 650, 0.5, 10, 0, true), punctuality(5_000, 10_000)))
                .singleElement()
                .asString()
                .contains("reached each subscriber; 5,000 of 10,000");
        assertThat(Verdict.schedule(new Rates(0, 700, 650, 0, 10, 0, true), Punctuality.NONE))
                .as("full speed is whatever it is")
                .isEmpty();
    }

    /** Where newer messages stand for others, fewer reach a subscriber than are published. */
    @Test
    void aRateOfWhichNewerMessagesStandForOthersIsThatOfThePublishers() {
        assertThat(Verdict.schedule(new Rates(1_000, 1_000, 20, 0, 10, 0, false), Punctuality.NONE))
                .isEmpty();
        assertThat(Verdict.schedule(new Rates(1_000, 700, 20, 0, 10, 0, false), Punctuality.NONE))
                .hasSize(1);
    }

    private static Punctuality punctuality(int late, int scheduled) {
        Histogram lateness = new Histogram(3);
        lateness.recordValueWithCount(5, scheduled);
        return new Punctuality(late, 7_500_000, lateness);
    }

    private static SubscriberResult lost(long lost, long tail, String closed, int reason) {
        return new SubscriberResult(0, 10, new Faults(lost, tail, 0, 0, 0, 0), Told.NOTHING, closed, reason);
    }

    private static SubscriberResult told(long lost, long missed) {
        return new SubscriberResult(0, 10, new Faults(lost, 0, 0, 0, 0, 0), new Told(missed, 1, 0), null, 0);
    }

    private static List<String> faults(Policy policy, SubscriberResult subscriber) {
        return faults(List.of(subscriber), List.of(), LOAD.withPolicy(policy));
    }

    private static List<String> faultsOfSlow(SubscriberResult slow) {
        return faults(List.of(), List.of(slow), LOAD.withPolicy(Policy.BACKPRESSURE));
    }

    private static List<String> faults(List<SubscriberResult> subscribers, List<SubscriberResult> slow, Load load) {
        return Verdict.faults(new Correctness(true, subscribers, slow, Punctuality.NONE, 0, 0), load);
    }
}
