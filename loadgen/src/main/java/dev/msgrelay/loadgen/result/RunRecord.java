package dev.msgrelay.loadgen.result;

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

    /** Whether its figures may stand for the cell: whole, valid, on a machine that stayed the same. */
    public boolean counts() {
        return !outcome.partial()
                && outcome.passed()
                && outcome.marks().isEmpty()
                && hops.regime().isSteady();
    }
}
