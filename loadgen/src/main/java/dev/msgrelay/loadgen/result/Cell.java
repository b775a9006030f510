package dev.msgrelay.loadgen.result;

import java.util.ArrayList;
import java.util.List;

/**
 * One set of parameters on one lane, and the runs with it.
 *
 * @param ceilings null where nothing says what the lane could give
 */
public record Cell(Parameters parameters, Ceilings ceilings, List<RunRecord> runs) {
    public Cell {
        runs = List.copyOf(runs);
    }

    /** The same with one run more. */
    public Cell with(RunRecord run) {
        List<RunRecord> next = new ArrayList<>(runs);
        next.add(run);
        return new Cell(parameters, ceilings, next);
    }
}
