package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.RunRecord.Observed;

import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.cli.Told;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.Contestants;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.loadgen.plan.Timing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadCellTest {
    private static final Timing TIMING = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(3));
    private static final Contestant PLAIN = Contestants.plain(1);

    @Test
    void aScheduleThatWasNotKeptIsAResultAndNeitherFailsARunNorLeavesItOut() throws Exception {
        Load paced = Load.oneToOne(100).withCounts(64, 4).withRate(2_000);
        Given usual = new Given(1_000, 1_000);
        assertThat(judged(PLAIN, paced, usual, 383_900).observed()).isEmpty();
        assertThat(judged(PLAIN, paced, usual, 200_000)).satisfies(half -> {
            assertThat(half.failures()).isEmpty();
            assertThat(half.counts()).isTrue();
            assertThat(half.observed())
                    .extracting(Observed::text)
                    .containsExactly("schedule not kept: of 128,000 msg/s 66,667 left the publishers and 66,667 reached"
                            + " each subscriber");
        });
        Given late = new Given(1_000, 1_000, 100);
        assertThat(judged(PLAIN, Load.oneToOne(100).withRate(1_000), late, 3_000)
                        .observed())
                .singleElement()
                .extracting(Observed::text)
                .asString()
                .startsWith("schedule not kept: 100 of 3,000 messages");
    }

    @Test
    void aLossIsExplainedByWhatTheContestantDoes() throws Exception {
        Given lossy = new Given(
                1_000,
                1_000,
                0,
                List.of(new SubscriberResult(0, 2_997, new Faults(3, 0, 0, 0, 0, 0), new Told(3, 1, 0), null, 0)));
        Load load = Load.oneToOne(100).withRate(1_000);
        assertThat(judged(relay("backpressure"), load, lossy, 3_000).failures()).isNotEmpty();
        assertThat(judged(relay("skip"), load, lossy, 3_000).failures()).isEmpty();
    }

    @Test
    void manyProcessesTakeLongerToStart() {
        assertThat(cell(PLAIN, Load.oneToOne(100)).estimate()).isEqualTo(Duration.ofSeconds(7));
        assertThat(cell(PLAIN, Load.oneToOne(100).withCounts(4, 64)).estimate())
                .isBetween(Duration.ofSeconds(8), Duration.ofSeconds(16));
    }

    private static Contestant relay(String policy) {
        return new RelayContestant(List.of(RelayContestant.POLICY, policy), List.of());
    }

    private static Outcome judged(Contestant contestant, Load load, Given given, long sent) {
        RunResult result = LoadRuns.result(contestant, load.withPolicy(contestant.policy()), TIMING, given, sent);
        return LoadRuns.judged(null, result).outcome();
    }

    private static LoadCell cell(Contestant contestant, Load load) {
        return new LoadCell("cell", "cell", contestant, Placement.HERE, load, TIMING, null);
    }
}
