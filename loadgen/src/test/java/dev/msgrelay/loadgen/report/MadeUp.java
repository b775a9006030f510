package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.experiment.LoadRuns;
import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.result.RunRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Results that no run gave. */
final class MadeUp {
    static final Timing SECOND = new Timing(Duration.ofMillis(100), Duration.ofSeconds(1));

    private static final Machine MACHINE =
            new Machine(2, "AMD EPYC 9R45", "OpenJDK 64-Bit Server VM 17.0.15+6", "Linux 6.18.44", "cubic", Double.NaN);

    private MadeUp() {}

    static Results of(LaneResult... lanes) {
        return Results.of(
                        Origin.of(Instant.EPOCH, "shootout", List.of("shootout", "<b>")),
                        List.of(new Site("here", MACHINE)))
                .withLanes(List.of(lanes));
    }

    static LaneResult loopback(Cell... cells) {
        return new LaneResult("loopback", LaneKind.LOOPBACK, false, null, null, Places.NEAR, List.of(cells));
    }

    static Cell cell(Load load, Given... runs) {
        List<RunRecord> all = new ArrayList<>();
        for (Given run : runs) {
            all.add(LoadRuns.record(load, SECOND, all.size() + 1, run));
        }
        return new Cell(Cell.RELAY, load, all);
    }
}
