package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.run.SubscriberResult.Faults;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VerdictTest {
    private static final SubscriberResult CLEAN = new SubscriberResult(0, 10, Faults.NONE, null, 0);
    private static final int SLOW = CloseReason.SLOW_SUBSCRIBER.code();

    @ParameterizedTest
    @EnumSource(value = Policy.class, names = "RELAY_DEFAULT", mode = EnumSource.Mode.EXCLUDE)
    void aCleanRunIsValid(Policy policy) {
        assertThat(failures(policy, CLEAN)).isEmpty();
    }

    @Test
    void aLossUnderBackpressureIsAFailure() {
        assertThat(failures(Policy.BACKPRESSURE, lost(3, 3, null, 0))).containsExactly("subscriber 0: 3 messages lost");
    }

    @Test
    void skipExplainsALoss() {
        assertThat(failures(Policy.SKIP, lost(3, 0, null, 0))).isEmpty();
    }

    @Test
    void disconnectExplainsTheTailOfASubscriberThatWasCutOff() {
        assertThat(failures(Policy.DISCONNECT, lost(3, 3, "too slow", SLOW))).isEmpty();
        assertThat(failures(Policy.DISCONNECT, lost(3, 2, "too slow", SLOW)))
                .as("a hole before the end is not explained")
                .containsExactly("subscriber 0: 3 messages lost");
        assertThat(failures(Policy.DISCONNECT, lost(3, 3, "connection reset", 0)))
                .containsExactly("subscriber 0: 3 messages lost", "subscriber 0: connection ended: connection reset");
    }

    @ParameterizedTest
    @EnumSource(value = Policy.class, names = "RELAY_DEFAULT", mode = EnumSource.Mode.EXCLUDE)
    void noPolicyExplainsADuplicateAReorderingOrACorruption(Policy policy) {
        assertThat(failures(policy, new SubscriberResult(4, 10, new Faults(0, 0, 1, 2, 3, 0), null, 0)))
                .containsExactly(
                        "subscriber 4: 1 messages duplicated",
                        "subscriber 4: 2 messages reordered",
                        "subscriber 4: 3 messages corrupted");
    }

    @Test
    void aSlowSubscriberIsToldTheTruthAndGetsWhatWasSent() {
        assertThat(Verdict.failures(List.of(slow(0, SlowResult.Faults.NONE)))).isEmpty();
        assertThat(Verdict.failures(List.of(slow(9, new SlowResult.Faults(1, 2, 3, 4)))))
                .containsExactly(
                        "slow subscriber: missed 9 messages without being told",
                        "slow subscriber: 1 messages duplicated",
                        "slow subscriber: 2 messages reordered",
                        "slow subscriber: 3 messages corrupted",
                        "slow subscriber: told 4 times that the stream stands where it does not");
    }

    private static SlowResult slow(long untold, SlowResult.Faults faults) {
        return new SlowResult(100, 10, 1, untold, faults, null, 0);
    }

    @Test
    void silenceIsAFailure() {
        Received nothing = new Received(new Traffic(0, 0, 1), List.of(CLEAN), new Histogram(3), 0, Arrivals.Skew.NONE);
        assertThat(Verdict.failures(nothing, Load.oneToOne(100), Policy.SKIP))
                .containsExactly("no message arrived within the measured window");
        assertThat(Verdict.failures(nothing, Load.oneToOne(100).withCounts(0, 1), Policy.SKIP))
                .as("without publishers silence is right")
                .isEmpty();
    }

    @Test
    void upToOneMessageInAThousandMayBeLate() {
        assertThat(Verdict.failures(punctuality(10, 10_000))).isEmpty();
        assertThat(Verdict.failures(Punctuality.NONE)).isEmpty();
        assertThat(Verdict.failures(punctuality(11, 10_000)))
                .containsExactly(
                        "the schedule was not kept: 11 of 10,000 messages (0.11 %) left more than 1 ms late, the"
                                + " latest 7.5 ms; over the limit of 0.1 %");
    }

    private static Punctuality punctuality(int late, int scheduled) {
        Histogram lateness = new Histogram(3);
        lateness.recordValueWithCount(5, scheduled);
        return new Punctuality(late, 7_500_000, lateness, Punctuality.Means.NONE);
    }

    private static SubscriberResult lost(long lost, long tail, String closed, int reason) {
        return new SubscriberResult(0, 10, new Faults(lost, tail, 0, 0, 0, 0), closed, reason);
    }

    private static List<String> failures(Policy policy, SubscriberResult... subscribers) {
        Received received =
                new Received(new Traffic(10, 1_000, 1), List.of(subscribers), new Histogram(3), 1, Arrivals.Skew.NONE);
        return Verdict.failures(received, Load.oneToOne(100), policy);
    }
}
