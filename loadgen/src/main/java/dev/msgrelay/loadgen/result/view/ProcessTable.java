package dev.msgrelay.loadgen.result.view;

import dev.msgrelay.loadgen.page.Table;
import dev.msgrelay.loadgen.page.Table.Column;
import dev.msgrelay.loadgen.page.TableCell;
import dev.msgrelay.loadgen.page.Unit;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Resources.ProcessRecord;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What each process used, a row for each of them and a column for each run. */
final class ProcessTable {
    private static final double SECOND_NANOS = 1e9;

    /** More runs than this get no column each. */
    private static final int RUNS_LISTED = 8;

    /** A process of every run has one name. */
    private record Who(String name, String site) {}

    private ProcessTable() {}

    static Table of(List<RunRecord> runs) {
        Set<Who> all = new LinkedHashSet<>();
        for (RunRecord run : runs) {
            run.resources().processes().forEach(process -> all.add(new Who(process.name(), process.site())));
        }
        List<RunRecord> listed = runs.size() > RUNS_LISTED ? List.of() : runs;
        List<Column> columns = new ArrayList<>(List.of(Column.text("process"), Column.text("site")));
        listed.forEach(
                run -> columns.add(Column.number("CPU, round " + run.moment().round())));
        columns.add(Column.number("cores, median"));
        columns.add(Column.number("peak memory"));
        return new Table(
                "CPU time in the measured part, and memory",
                columns,
                all.stream().map(who -> row(who, runs, listed)).toList());
    }

    private static List<TableCell> row(Who who, List<RunRecord> runs, List<RunRecord> listed) {
        List<TableCell> cells = new ArrayList<>(List.of(TableCell.of(who.name()), TableCell.of(who.site())));
        listed.forEach(run -> cells.add(Overview.number(cpuSeconds(who, run), Unit.SECONDS)));
        cells.add(Overview.number(cores(who, runs), Unit.PLAIN));
        cells.add(Overview.number(peak(who, runs), Unit.BYTES));
        return cells;
    }

    private static double cores(Who who, List<RunRecord> runs) {
        return Counted.median(runs.stream()
                .filter(run -> run.moment().measuredNanos() > 0)
                .mapToDouble(run ->
                        cpuSeconds(who, run) * SECOND_NANOS / run.moment().measuredNanos())
                .filter(cores -> !Double.isNaN(cores))
                .toArray());
    }

    private static double peak(Who who, List<RunRecord> runs) {
        return runs.stream()
                .flatMap(run -> run.resources().processes().stream())
                .filter(process -> is(process, who) && process.peakResidentBytes() >= 0)
                .mapToDouble(ProcessRecord::peakResidentBytes)
                .max()
                .orElse(Double.NaN);
    }

    private static double cpuSeconds(Who who, RunRecord run) {
        return run.resources().processes().stream()
                .filter(process -> is(process, who) && process.cpuSeconds() >= 0)
                .mapToDouble(ProcessRecord::cpuSeconds)
                .findFirst()
                .orElse(Double.NaN);
    }

    private static boolean is(ProcessRecord process, Who who) {
        return process.name().equals(who.name()) && process.site().equals(who.site());
    }
}
