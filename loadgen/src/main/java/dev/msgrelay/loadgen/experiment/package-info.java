/**
 * Cells, measured in turn: the engine under {@code run}, {@code shootout} and {@code compare},
 * which are lists of cells for it.
 *
 * <pre>
 *  Cell              what is measured again and again
 *   +- LoadCell        a contestant, a load, a lane        LoadRig: HostRig starts its processes for each run,
 *                                                          StandingRig once for several (run)
 *
 *  Experiment        cells in turn: A B C, C B A           (controller's thread)
 *   +- Meter           the core-to-core hop, the clock, whether somebody wants the end
 *   +- Run             one run: what it gave, its hops, what is wrong with it, its marks
 *   +- TimeLeft        how much is left
 *   +- Keeper          writes what there is after every run
 *   +- Listener        progress
 *  Interrupts        Ctrl-C: the controller's thread is interrupted, and what there is gets reported
 * </pre>
 *
 * <p>A run <em>counts</em> when it came to its end, is valid, and has no mark
 * ({@link dev.msgrelay.loadgen.result.RunRecord.Outcome#counts}). Of a cell's runs those stand for it that count and were taken in one
 * regime of the cores, the one with most of them ({@link dev.msgrelay.loadgen.result.Counted}). Two cells are compared by
 * runs of one regime.
 */
package dev.msgrelay.loadgen.experiment;
