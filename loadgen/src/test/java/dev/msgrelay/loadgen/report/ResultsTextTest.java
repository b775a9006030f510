package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTextTest {
    private static final Load LOAD = Load.oneToOne(100);

    @Test
    void everythingThatWasMeasuredSkippedOrFailedIsThere() {
        Results results = MadeUp.of(
                        MadeUp.loopback(
                                MadeUp.cell(
                                        LOAD,
                                        new Given(1_000_000, 1),
                                        new Given(2_000_000, 1),
                                        new Given(9_000_000, 1).beside(0.5)),
                                MadeUp.cell(LOAD.withRate(500), new Given(500, 1_000_000).stoodStill(301))),
                        LaneResult.skipped("10gbe", LaneKind.GBE_10, true, "not allowed"))
                .withNotes(List.of("core-to-core hop 46 ns"))
                .with(new Ending(Ending.How.INTERRUPTED, "Ctrl-C"));
        assertThat(ResultsText.of(results))
                .contains("loopback\n", "10gbe (emulated)\n  skipped: not allowed\n", "1 -> 1, body 100, full speed")
                .containsPattern("1 -> 1, body 100, full speed +1.5 M +1.5 M +162 MB/s")
                .contains("other programs took 50 % of all cores", "deliveries stood still", "bound by")
                .contains("3 runs count; left out: 1 on a disturbed machine\n", "core-to-core hop 46 ns\n")
                .contains("PARTIAL: interrupted after 4 runs");
    }

    @Test
    void aSecondHostBehindALinkOfUnknownSpeedIsStillASecondHost() {
        Places places = new Places(Place.NEAR, Place.FAR);
        assertThat(ResultsText.of(MadeUp.of(new LaneResult(
                        "remote",
                        LaneKind.GBE_1,
                        false,
                        null,
                        null,
                        places,
                        List.of(MadeUp.cell(LOAD, new Given(1_000_000, 1)))))))
                .contains("remote: a link whose speed nobody tells; publishers at the relay's side,"
                        + " subscribers across the link\n");
    }
}
