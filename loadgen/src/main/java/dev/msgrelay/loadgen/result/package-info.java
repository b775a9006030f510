/**
 * What a measurement gave: immutable records, which are at once the form of the JSON. Knows neither commands nor how
 * anything was measured; {@link dev.msgrelay.loadgen.experiment.LoadCell#record} fills it.
 *
 * <pre>
 *  Results
 *   +- Origin, Ending, Site   what was called, how it ended, the machines that took part
 *   +- LaneResult             a link, or why it was skipped
 *   |   +- Cell               one contestant under one load, and what the lane could give to it
 *   |       +- RunRecord      Moment, Throughput, Delays, Correctness, Resources, Outcome
 *   +- Ratio                  one figure against another, with its interval
 *   +- Finding                what the doctor saw
 *
 *  Json      these records as text, and back
 *  Counted   which runs of a cell stand for it
 * </pre>
 */
package dev.msgrelay.loadgen.result;
