package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.List;

/** Runs of ceilings as results. */
public final class CeilingRuns {
    private CeilingRuns() {}

    /** The results with these runs, each in the cell of its contestant. */
    public static Results with(Results results, String title, List<Run<RunResult>> runs) {
        Results next = results;
        for (Run<RunResult> run : runs) {
            LoadCell measured = (LoadCell) run.cell();
            LaneKind kind = measured.load().unix() ? LaneKind.UNIX : LaneKind.LOOPBACK;
            if (next.lane(kind.title()).isEmpty()) {
                next = next.with(LaneResult.of(kind.title(), kind));
            }
            Cell cell = new Cell(
                    title + ", " + measured.contestant().name(), Parameters.of(measured.load()), null, List.of());
            next = next.with(kind.title(), cell, LoadCell.record(run, Places.NEAR, null));
        }
        return next;
    }

    /** For people: what was delivered without a relay. */
    public static String text(List<Run<RunResult>> runs) {
        List<Field<Run<RunResult>>> fields = List.of(
                Field.text("", run -> run.result().contestant()),
                Field.of("msg/s", Unit.COUNT, LoadCell::rate),
                Field.of(
                        "",
                        Unit.BYTES_PER_SECOND,
                        run -> run.result().throughput().out().bytesPerSecond()));
        return TextTable.of(Table.of("", runs.stream().filter(Run::isWhole).toList(), fields));
    }
}
