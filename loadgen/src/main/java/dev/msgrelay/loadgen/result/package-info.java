/**
 * The results of a measurement: immutable records, which are at once the form of the JSON. Knows neither commands nor
 * how anything was measured.
 *
 * <pre>
 *  Results
 *   +- Origin, Ending, Site   the command, how it ended, the machines that took part
 *   +- LaneResult             a link, or why it was skipped
 *   |   +- Cell               one contestant under one load, its ceilings and its shares of them
 *   |       +- RunRecord      Moment, Throughput, Delays, Correctness, Resources, Outcome
 *   +- Ratio, Turn            one figure against another, with its interval; the runs behind it
 *   +- Finding                the doctor's
 *
 *  Counted   the runs of a cell that stand for it
 * </pre>
 */
package dev.msgrelay.loadgen.result;
