package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns;
import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.Told;
import dev.msgrelay.loadgen.report.RunSummary.Targets;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunSummaryTest {
    private static final Load LOAD = Load.oneToOne(100);
    private static final long MILLI = 1_000_000;
    private static final Cell FULL = MadeUp.cell(LOAD, new Given(2_000_000, 1));

    @Test
    void oneRateIsToldAsItWasDelivered() {
        assertThat(lines(rate(20_000, new Given(20_000, MILLI))))
                .containsExactly(
                        "20,000 msg/s delivered whole, p50 1 ms, p99 1 ms",
                        "PASS: all 20,000 messages right: every byte, once, in order");
        assertThat(lines(MadeUp.cell(LOAD.withCounts(1, 8).withRate(20_000), new Given(160_000, MILLI))))
                .first()
                .isEqualTo("20,000 msg/s delivered whole to each of 8 subscribers, p50 1 ms, p99 1 ms");
    }

    /** What reaches a subscriber is less than the rate, and no less than was asked for. */
    @Test
    void withAnIntervalTheRateIsThatOfThePublisher() {
        Load every = LOAD.withFromState(true).withInterval(500);
        assertThat(lines(MadeUp.cell(every.withRate(20_000), new Given(20_000, MILLI))))
                .first()
                .isEqualTo("20,000 msg/s, the newest of each type every 500 ms, p50 1 ms, p99 1 ms");
        assertThat(lines(MadeUp.cell(every.withCounts(1, 8), new Given(160_000, MILLI))))
                .first()
                .isEqualTo("full speed 20,000 msg/s, the newest of each type every 500 ms to each of 8 subscribers");
    }

    /** 26 of 20,000 late on a virtual machine: that is a caution, and no verdict on the relay. */
    @Test
    void latenessIsACautionWithItsCause() {
        assertThat(lines(rate(20_000, new Given(20_000, 42_000).late(26))))
                .startsWith(
                        "20,000 msg/s delivered whole, p50 42 us, p99 42 us",
                        "caution: 0.13 % left more than 1 ms late; cause not seen");
        assertThat(lines(rate(20_000, new Given(20_000, 42_000).late(26).waiting(0.002))))
                .contains("caution: 0.13 % left more than 1 ms late; cause: the scheduler, for which the generator's"
                        + " thread waited as long");
        assertThat(lines(rate(20_000, new Given(20_000, 42_000).late(26).waiting(0.001))))
                .contains("caution: 0.13 % left more than 1 ms late; cause not seen");
    }

    @Test
    void aCurveHasTheLatencyOfWhatLeftInTimeAndHidesNoHigherRateThatWasDelivered() {
        Cell low = rate(20_000, new Given(20_000, MILLI));
        Cell late = rate(1_000_000, new Given(1_000_000, MILLI).late(50_000));
        assertThat(lines(FULL, low, late))
                .first()
                .isEqualTo("full speed 2 M msg/s; p50 1 ms, p99 1 ms at 20,000 msg/s; up to 1 M msg/s delivered whole");
        assertThat(lines(FULL, low)).first().isEqualTo("full speed 2 M msg/s; p50 1 ms, p99 1 ms at 20,000 msg/s");
        assertThat(lines(FULL, late))
                .startsWith(
                        "full speed 2 M msg/s; p50 1 ms, p99 1 ms * at 1 M msg/s",
                        "caution: 5.00 % left more than 1 ms late; cause not seen");
        assertThat(lines(FULL, rate(20_000, new Given(20_000, MILLI).of(lost(3)))))
                .contains("full speed 2 M msg/s; no rate below it was delivered whole");
        assertThat(lines(FULL)).first().isEqualTo("full speed 2 M msg/s");
    }

    @Test
    void theFirstLineHasThePlainRelaysLatencyAtTheSameRate() {
        Load slow = LOAD.withRate(20_000);
        Load fast = LOAD.withRate(1_000_000);
        Cell plain = MadeUp.plain(slow, new Given(20_000, MILLI / 2));
        assertThat(lines(rate(20_000, new Given(20_000, MILLI)), plain))
                .containsExactly(
                        "20,000 msg/s delivered whole, p50 1 ms, p99 1 ms (plain relay: p50 500 us, p99 500 us)",
                        "PASS: all 20,000 messages right: every byte, once, in order");
        assertThat(lines(
                        FULL,
                        rate(20_000, new Given(20_000, MILLI)),
                        plain,
                        rate(1_000_000, new Given(1_000_000, MILLI).late(50_000)),
                        MadeUp.plain(fast, new Given(1_000_000, 7))))
                .first()
                .isEqualTo("full speed 2 M msg/s; p50 1 ms, p99 1 ms at 20,000 msg/s (plain relay: p50 500 us, p99 500"
                        + " us); up to 1 M msg/s delivered whole");
        assertThat(lines(rate(20_000, new Given(20_000, MILLI)), MadeUp.plain(slow, new Given(20_000, 7).late(400))))
                .first()
                .isEqualTo("20,000 msg/s delivered whole, p50 1 ms, p99 1 ms (plain relay: p50 7 ns, p99 7 ns *)");
        assertThat(lines(rate(20_000, new Given(20_000, MILLI)), MadeUp.plain(slow, new Given(20_000, 7).beside(0.4))))
                .contains("caution: the machine was busy: other programs took 40 % of all cores");
    }

    /** A reader would divide the two. */
    @Test
    void theFirstLineHasNoPlainRelayOfUnlikeSocketsAndNoneThatFailed() {
        Load load = LOAD.withRate(20_000);
        Senders bbr = new Senders(Congestion.of("cubic"), Congestion.of("bbr"));
        RunRecord unlike = LoadRuns.sentBy(LoadRuns.record(load, MadeUp.SECOND, 1, new Given(20_000, MILLI / 2)), bbr);
        Given failed = new Given(20_000, MILLI / 2).of(lost(3));
        for (Cell plain : List.of(MadeUp.plain(load, unlike), MadeUp.plain(load, failed))) {
            assertThat(lines(rate(20_000, new Given(20_000, MILLI)), plain))
                    .containsExactly(
                            "20,000 msg/s delivered whole, p50 1 ms, p99 1 ms",
                            "PASS: all 20,000 messages right: every byte, once, in order");
        }
    }

    @Test
    void aTargetIsTheFirstWordAndTheExitCode() {
        Cell good = rate(20_000, new Given(20_000, MILLI));
        expect(0, "MET: 20,000 msg/s delivered whole, p50 1 ms, p99 1 ms", target(2 * MILLI, 20_000), good);
        expect(
                4,
                "MISSED: 20,000 msg/s delivered whole, p50 1 ms, p99 1 ms; wanted: p99 within 20 us",
                target(20_000L, null),
                good);
        expect(
                4,
                "MISSED: 20,000 msg/s delivered whole, p50 1 ms, p99 1 ms; wanted: 20,001 msg/s at least",
                target(null, 20_001),
                good);
        expect(0, "MET: full speed 2 M msg/s", target(null, 2_000_000), FULL);
        expect(
                4,
                "MISSED: full speed 2 M msg/s; wanted: 3 M msg/s at least, p99 within 2 ms",
                target(2 * MILLI, 3_000_000),
                FULL);
        expect(
                0,
                "MET: full speed 2 M msg/s; p50 1 ms, p99 1 ms at 20,000 msg/s; up to 1 M msg/s delivered whole",
                target(2 * MILLI, null),
                FULL,
                good,
                rate(1_000_000, new Given(1_000_000, 7 * MILLI)));
    }

    @Test
    void whatTheMachineOrTheGeneratorMayHaveMadeIsUndecided() {
        String busy = "UNDECIDED: 20,000 msg/s delivered whole, p50 1 ms, p99 1 ms; wanted: p99 within 20 us";
        expect(4, busy, target(20_000L, null), rate(20_000, new Given(20_000, MILLI).beside(0.4)));
        expect(
                4,
                busy.replace("p99 1 ms;", "p99 1 ms *;"),
                target(20_000L, null),
                rate(20_000, new Given(20_000, MILLI).late(400)));
        expect(
                0,
                "MET: 20,000 msg/s delivered whole, p50 1 ms, p99 1 ms",
                target(MILLI + MILLI, null),
                rate(20_000, new Given(20_000, MILLI).beside(0.4)));
    }

    @Test
    void aMessageThatIsWrongIsTheFirstThing() {
        Cell wrong = rate(1_000, new Given(1_000, MILLI).of(lost(3)));
        assertThat(lines(wrong))
                .containsExactly(
                        "FAIL: of 1,000 messages 3 lost",
                        "  subscriber 0: 3 messages lost",
                        "1,000 of 1,000 msg/s delivered, p50 1 ms, p99 1 ms");
        expect(5, "FAIL: of 1,000 messages 3 lost", target(1L, null), wrong);
    }

    @Test
    void whatWasNotCheckedIsNotRight() {
        Load counted = LOAD.withCheck(Check.NONE);
        assertThat(lines(MadeUp.cell(counted, new Given(1_000, 1))))
                .containsExactly("full speed 1,000 msg/s", "not checked: subscribers only counted 1,000 messages");
    }

    private static SubscriberResult lost(long messages) {
        return new SubscriberResult(0, 1_000, new Faults(messages, 0, 0, 0, 0, 0), Told.NOTHING, null, 0);
    }

    private static Cell rate(int rate, Given run) {
        return MadeUp.cell(LOAD.withRate(rate), run);
    }

    private static Targets target(Long p99Nanos, Integer minRate) {
        return new Targets(p99Nanos, minRate);
    }

    private static void expect(int exitCode, String first, Targets targets, Cell... cells) {
        RunSummary outcome = RunSummary.of(MadeUp.of(MadeUp.loopback(cells)), targets);
        assertThat(outcome.lines().get(0)).isEqualTo(first);
        assertThat(outcome.exitCode()).isEqualTo(exitCode);
    }

    private static List<String> lines(Cell... cells) {
        return RunSummary.of(MadeUp.of(MadeUp.loopback(cells)), Targets.NONE).lines();
    }
}
