package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.experiment.ShootoutRun.Equipment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.rig.Contestants;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.RunObserver;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.rig.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Four subscribers get 1,000,000 messages a second of 108 bytes altogether, a quarter of which the publisher sends. */
class BaselinesTest {
    private static final Timing SECOND = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    private static final Load LOAD = Load.oneToOne(100).withCounts(1, 4);
    private static final LoadCell RELAY = LoadCell.here("relay", Contestants.plain(1), LOAD, SECOND, null);

    @Test
    void deliveriesAreSetAgainstTheWayToTheSubscribers() throws Exception {
        for (Place publishers : new Place[] {Place.NEAR, Place.FAR}) {
            Places places = new Places(publishers, Place.FAR);
            assertThat(Baselines.from(places)).isEqualTo(End.NEAR);
            assertThat(lines(places, List.of(taken(1, 1_000_000, List.of(), List.of())))
                            .get(1))
                    .contains("0.900 (0.900 .. 0.900) of the raw stream")
                    .doesNotContain("iperf3");
        }
    }

    @Test
    void whatWasPublishedIsSetAgainstTheWayFromThePublishers() throws Exception {
        Places places = new Places(Place.FAR, Place.NEAR);
        assertThat(Baselines.from(places)).isEqualTo(End.FAR);
        assertThat(lines(places, List.of(taken(1, 1_000_000, List.of(), List.of())))
                        .get(1))
                .contains("0.225 (0.225 .. 0.225) of the raw stream");
    }

    @Test
    void whyThereIsNoIperfIsTold() throws Exception {
        assertThat(lines(new Places(Place.NEAR, Place.FAR), List.of()))
                .singleElement()
                .asString()
                .contains("no iperf3: not here");
    }

    @Test
    void runsThatDoNotCountAreNotAmongThem() throws Exception {
        Places places = new Places(Place.NEAR, Place.FAR);
        List<Run<RunResult>> all = List.of(
                taken(1, 1_000_000, List.of(), List.of()),
                taken(2, 1_000_000, List.of(), List.of()),
                taken(3, 300_000, List.of("clock drift"), List.of()),
                taken(4, 200_000, List.of(), List.of("3 messages lost")));
        assertThat(lines(places, all).get(1)).contains("0.900 (0.900 .. 0.900) of the raw stream");
        assertThat(lines(places, List.of(all.get(2)))).as("the baseline alone").hasSize(1);
    }

    /** 120 MB/s in every round, and no iperf3. */
    private static List<String> lines(Places places, List<Run<RunResult>> runs) throws Exception {
        ShootoutSettings settings = new ShootoutSettings(
                List.of(),
                List.of(LOAD),
                1,
                SECOND,
                new Sides(End.NEAR, End.FAR, Door.TCP),
                new Yardsticks(false, true));
        Equipment equipment =
                new Equipment(null, null, null, (lane, from, timing) -> new LinkBaseline.Iperf(0, 0, "not here"));
        Baselines baselines =
                new Baselines(FakeLane.of(LaneSpec.of(LaneKind.GBE_1), name -> {}), places, settings, equipment);
        LoadCell raw = baselines.cells().get(0);
        LoadCell iperf3 = baselines.cells().get(1);
        List<Run<RunResult>> all = new ArrayList<>(runs);
        for (int round = 1; round <= 7; round++) {
            RunResult stream =
                    LoadRuns.result(Contestants.plain(1), LinkBaseline.LOAD, SECOND, new Given(120_000_000 / 108, 1));
            all.add(new Run<>(raw, 0, round, "2026-01-01T00:00:00Z", stream, Outcome.PASS));
            RunResult given = iperf3.rig().run(iperf3, RunObserver.NONE);
            assertThat(Verdict.faults(given)).isEmpty();
            all.add(LoadRuns.judged(iperf3, round, given));
        }
        return baselines.lines(all, Map.of(LOAD, RELAY));
    }

    private static Run<RunResult> taken(int round, long perSecond, List<String> machine, List<String> faults) {
        RunResult result = LoadRuns.result(RELAY.contestant(), LOAD, SECOND, new Given(perSecond, 1_000));
        return LoadRuns.run(RELAY, round, result, faults, machine);
    }
}
