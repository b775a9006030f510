/**
 * Cells, measured in turn: the engine under {@code run}, {@code shootout}, {@code ceiling} and {@code compare},
 * which are lists of cells for it.
 *
 * <pre>
 *  Cell              what is measured again and again
 *   +- LoadCell        a contestant, a load, a lane        LoadRig: HostRig starts its processes for each run,
 *                                                          StandingRig once for several (run)
 *
 *  Experiment        cells in turn: A B C, C B A           (controller's thread)
 *   +- Meter           the clock, whether somebody wants the end
 *   +- Run             one run: what it gave, what is wrong with it, what disturbed it, what became of it
 *   +- TimeLeft        how much is left
 *   +- Keeper          writes what there is after every run
 *   +- Listener        progress
 *  Interrupts        Ctrl-C: the controller's thread is interrupted, and what there is gets reported
 * </pre>
 *
 * <p>A run <em>counts</em> when it came to its end, is valid, and the machine did nothing else meanwhile
 * ({@link dev.msgrelay.loadgen.result.RunRecord.Outcome#counts}); what became of it is no reason to leave it out. Of a cell's
 * runs those stand for it that count ({@link dev.msgrelay.loadgen.result.Counted}). Two cells are compared by runs of one
 * round: what changes from round to round meets both.
 */
package dev.msgrelay.loadgen.experiment;
