package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.result.Correctness.Schedule;
import java.util.Locale;

/**
 * One run of a cell.
 *
 * @param delays nothing recorded in a run whose messages were not checked
 */
public record RunRecord(
        Moment moment,
        Hops hops,
        Throughput throughput,
        Delays delays,
        Correctness correctness,
        Resources resources,
        Outcome outcome) {

    /**
     * What a reader has to know of a run all the same, one line; empty mostly. In a search for the highest rate late
     * sends are no failure: latencies count from the intended time.
     */
    public String note() {
        Schedule schedule = correctness.schedule();
        return schedule.kept() || !outcome.passed()
                ? ""
                : String.format(
                        Locale.ROOT,
                        "the schedule was not kept: %,d of %,d messages left more than 1 ms late, which is within their"
                                + " latencies",
                        schedule.late(),
                        schedule.scheduled());
    }

    /** Whether its figures may stand for the cell: whole, valid, on a machine that stayed the same. */
    public boolean counts() {
        return !outcome.partial()
                && outcome.passed()
                && outcome.marks().isEmpty()
                && hops.regime().isSteady();
    }
}
