/**
 * The results of a measurement, as immutable records. These also define the JSON. The package depends neither on
 * commands nor on the way in which results are measured.
 *
 * <pre>
 *  Results
 *   +- Origin, Ending, Site   the command, its end, the machines
 *   +- LaneResult             one lane, or why it was skipped
 *   |   +- Cell               one contestant with one load, its ceilings and shares
 *   |   |   +- RunRecord      Moment, Throughput, Delays, Correctness, Resources, Outcome
 *   |   +- LatencyRatio       a latency beside the plain relay's, derived from two cells
 *   +- Ratio, Turn            compare: ratios of figures, and the runs
 *   +- Finding                a line of doctor
 *
 *  Counted   the runs of a cell from which its figures are computed
 * </pre>
 */
package dev.msgrelay.loadgen.result;
