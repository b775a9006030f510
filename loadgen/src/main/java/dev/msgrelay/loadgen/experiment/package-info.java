/**
 * Runs that are measured alternately: the core of {@code run}, {@code shootout} and {@code compare}.
 *
 * <pre>
 *  Way               a contestant on a lane; it makes Plans
 *  Experiment        plans alternately: A B C, C B A; results are written after every run   (controller's thread)
 *  InTurn            two sides alternately, until PairedComparison's interval is narrow
 *  Interrupts        Ctrl-C interrupts the controller's thread; the results so far are reported
 * </pre>
 *
 * <p>A run <em>counts</em> if it was completed, is valid, and no other program disturbed it ({@link
 * dev.msgrelay.loadgen.result.RunRecord.Outcome#counts}). A pause of the contestant is no reason to leave a run out.
 * The figures of a cell are those of its runs that count ({@link dev.msgrelay.loadgen.result.Counted}). Two cells are
 * compared by runs of the same round, so that slow changes of the machine affect both.
 */
package dev.msgrelay.loadgen.experiment;
