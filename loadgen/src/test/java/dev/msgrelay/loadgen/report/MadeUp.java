package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.experiment.LoadRuns;
import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
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

    /** A run at full speed beside a plain relay of twice its speed, by this congestion control of either contestant. */
    static Cell besideThePlainRelay(Senders relay, Senders plain) {
        Load load = Load.oneToOne(100);
        RunRecord run = LoadRuns.sentBy(LoadRuns.record(load, SECOND, 1, new Given(1_000, 1)), relay);
        RunRecord above = LoadRuns.sentBy(LoadRuns.record(load, SECOND, 1, new Given(2_000, 1)), plain);
        Ceilings ceilings = Ceilings.measured(above);
        List<Share> shares = ceilings.unlike(run).isPresent()
                ? List.of()
                : List.of(Share.of(1, run.throughput(), ceilings, Places.NEAR, 1));
        return new Cell(Cell.RELAY, load, ceilings, shares, List.of(run));
    }

    /** The plain relay at the rate of this load. */
    static Cell plain(Load load, Given run) {
        return plain(load, LoadRuns.record(load.ofPlainRelay(), SECOND, 1, run));
    }

    static Cell plain(Load load, RunRecord run) {
        return new Cell(Cell.PLAIN, load.ofPlainRelay(), List.of(run));
    }

    static Cell cell(Load load, Given... runs) {
        List<RunRecord> all = new ArrayList<>();
        for (Given run : runs) {
            all.add(LoadRuns.record(load, SECOND, all.size() + 1, run));
        }
        return new Cell(Cell.RELAY, load, all);
    }
}
