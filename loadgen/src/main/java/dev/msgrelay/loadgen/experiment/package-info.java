/**
 * Cells, measured in turn: the engine under {@code run}, {@code shootout} and {@code compare}.
 *
 * <pre>
 *  Way               a contestant on a lane, from which a Plan and its Rig are made
 *  Experiment        cells in turn: A B C, C B A; writes what there is after every run    (controller's thread)
 *  InTurn            two sides in turn, until PairedComparison's interval is narrow
 *  Interrupts        Ctrl-C: the controller's thread is interrupted, and what there is gets reported
 * </pre>
 *
 * <p>A run <em>counts</em> when it came to its end, is valid, and the machine did nothing else meanwhile ({@link
 * dev.msgrelay.loadgen.result.RunRecord.Outcome#counts}); a contestant's pause is no reason to leave it out. Of a
 * cell's runs those stand for it that count ({@link dev.msgrelay.loadgen.result.Counted}). Two cells are compared by
 * runs of one round: whatever changes from round to round meets both.
 */
package dev.msgrelay.loadgen.experiment;
