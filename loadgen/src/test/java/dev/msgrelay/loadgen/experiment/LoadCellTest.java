package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.SubscriberResult.Faults;
import dev.msgrelay.loadgen.run.SubscriberResult.Told;
import dev.msgrelay.loadgen.run.Timing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadCellTest {
    private static final Timing TIMING = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(3));
    private static final Contestant PLAIN = Contestants.plain(1);

    @Test
    void aScheduleOfWhichHalfWasSentIsNoResult() throws Exception {
        Load paced = Load.oneToOne(100).withCounts(64, 4).withRate(2_000);
        assertThat(failures(paced, 383_900, false)).isEmpty();
        assertThat(failures(paced, 200_000, false))
                .containsExactly("only 200,000 of 384,000 messages were sent in time");
    }

    @Test
    void aMessageAtTheEdgeOfTheWindowIsNotMissed() throws Exception {
        assertThat(failures(Load.oneToOne(100).withRate(1), 2, false)).isEmpty();
    }

    @Test
    void fullSpeedIsWhateverItIs() throws Exception {
        assertThat(failures(Load.oneToOne(100), 0, true)).isEmpty();
    }

    @Test
    void aLateScheduleFailsWhereItIsToFail() throws Exception {
        Given late = new Given(1_000, 1_000, 100);
        Load load = Load.oneToOne(100).withRate(1_000);
        assertThat(failures(PLAIN, load, late, 3_000, true))
                .singleElement()
                .asString()
                .startsWith("the schedule was not kept: 100 of 3,000 messages");
        assertThat(failures(PLAIN, load, late, 3_000, false)).isEmpty();
    }

    @Test
    void aLossIsExplainedByWhatTheContestantDoes() throws Exception {
        Given lossy = new Given(
                1_000,
                1_000,
                0,
                List.of(new SubscriberResult(0, 2_997, new Faults(3, 0, 0, 0, 0, 0), new Told(3, 1, 0), null, 0)));
        Load load = Load.oneToOne(100).withRate(1_000);
        assertThat(failures(relay("backpressure"), load, lossy, 3_000, false)).isNotEmpty();
        assertThat(failures(relay("skip"), load, lossy, 3_000, false)).isEmpty();
    }

    @Test
    void manyProcessesTakeLongerToStart() {
        assertThat(cell(PLAIN, Load.oneToOne(100), false, null).estimate()).isEqualTo(Duration.ofSeconds(7));
        assertThat(cell(PLAIN, Load.oneToOne(100).withCounts(4, 64), false, null)
                        .estimate())
                .isBetween(Duration.ofSeconds(8), Duration.ofSeconds(16));
    }

    private static Contestant relay(String policy) {
        return new RelayContestant(List.of(RelayContestant.POLICY, policy), List.of());
    }

    private static List<String> failures(Load load, long sent, boolean lateFails) throws Exception {
        return failures(PLAIN, load, new Given(1_000, 1_000), sent, lateFails);
    }

    private static List<String> failures(Contestant contestant, Load load, Given given, long sent, boolean lateFails)
            throws Exception {
        LoadRig rig = (cell, observer) ->
                new Measured<>(LoadRuns.result(contestant, load, TIMING, given, sent), List.of(), List.of());
        return cell(contestant, load, lateFails, rig).measure(RunObserver.NONE).failures();
    }

    private static LoadCell cell(Contestant contestant, Load load, boolean lateFails, LoadRig rig) {
        return new LoadCell("cell", "cell", contestant, Placement.HERE, load, TIMING, lateFails, rig);
    }
}
