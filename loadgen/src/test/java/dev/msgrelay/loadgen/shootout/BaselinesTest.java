package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.LinkBaseline;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.Places.Place;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.shootout.FakeRig.Given;
import dev.msgrelay.loadgen.shootout.Step.What;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Four subscribers get 1,000,000 messages a second of 108 bytes altogether, a quarter of which the publisher sends. */
class BaselinesTest {
    private static final LoadPoint POINT = new LoadPoint(BodySizes.fixed(100), 1, 4, 0, 0, 1);
    private static final Hops NEAR = new Hops(45, 46);
    private static final Rig.Baseline BASELINE = new Rig.Baseline(120e6, new LinkBaseline.Iperf(0, 0, null));

    @Test
    void deliveriesAreSetAgainstTheWayToTheSubscribers() throws Exception {
        for (Place publishers : new Place[] {Place.NEAR, Place.FAR}) {
            Places places = new Places(publishers, Place.FAR);
            assertThat(Baselines.from(places)).isEqualTo(End.NEAR);
            assertThat(line(places, taken(1, NEAR, 1_000_000, List.of(), List.of())))
                    .contains("0.900 (0.900 .. 0.900) of the raw stream");
        }
    }

    @Test
    void whatWasPublishedIsSetAgainstTheWayFromThePublishers() throws Exception {
        Places places = new Places(Place.FAR, Place.NEAR);
        assertThat(Baselines.from(places)).isEqualTo(End.FAR);
        assertThat(line(places, taken(1, NEAR, 1_000_000, List.of(), List.of())))
                .contains("0.225 (0.225 .. 0.225) of the raw stream");
    }

    @Test
    void runsThatDoNotCountAreNotAmongThem() throws Exception {
        Places places = new Places(Place.NEAR, Place.FAR);
        Taken[] all = {
            taken(1, NEAR, 1_000_000, List.of(), List.of()),
            taken(2, NEAR, 1_000_000, List.of(), List.of()),
            taken(3, new Hops(45, 230), 500_000, List.of(), List.of()),
            taken(4, new Hops(9_000, 45), 400_000, List.of(), List.of()),
            taken(5, NEAR, 300_000, List.of("clock drift"), List.of()),
            taken(6, NEAR, 200_000, List.of(), List.of("3 messages lost")),
            taken(7, new Hops(230, 230), 100_000, List.of(), List.of()),
        };
        assertThat(line(places, all)).contains("0.900 (0.900 .. 0.900) of the raw stream");
        assertThat(Baselines.lines("lane", places, Map.of(3, BASELINE), Map.of(POINT, List.of(all[2]))))
                .as("the baseline alone")
                .hasSize(1);
    }

    private static String line(Places places, Taken... runs) {
        Map<Integer, Rig.Baseline> baselines =
                Map.of(1, BASELINE, 2, BASELINE, 3, BASELINE, 4, BASELINE, 5, BASELINE, 6, BASELINE, 7, BASELINE);
        return Baselines.lines("lane", places, baselines, Map.of(POINT, List.of(runs)))
                .get(1);
    }

    private static Taken taken(int round, Hops hops, long perSecond, List<String> marks, List<String> faults)
            throws Exception {
        FakeRig rig = new FakeRig((number, middle, placement, load) -> new Given(perSecond, 1_000));
        RunResult result = rig.run(
                        Middles.plain(1),
                        Placement.HERE,
                        Load.oneToOne(100).withCounts(1, 4),
                        new Timing(Duration.ZERO, Duration.ofSeconds(1)),
                        RunObserver.NONE)
                .result();
        return new Taken(
                new Step("lane", POINT, What.RELAY),
                round,
                "2026-01-01T00:00:00Z",
                hops,
                new Rig.Outcome(result, marks, 0),
                faults,
                List.of());
    }
}
