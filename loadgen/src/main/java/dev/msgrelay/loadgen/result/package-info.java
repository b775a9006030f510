/**
 * What a shootout gave: immutable values, and their JSON, CSV and histogram-log files. Knows neither commands nor how
 * anything was measured; {@link dev.msgrelay.loadgen.result.RunRecords} alone knows the runs that it is filled from.
 *
 * <pre>
 *  Shootout
 *   +- Site            a machine that took part
 *   +- LaneResult      a link, or why it was skipped
 *       +- Cell        one set of parameters, and what the link could give to it
 *           +- RunRecord   Moment, Hops, Throughput, Delays, Correctness, Resources, Outcome
 * </pre>
 */
package dev.msgrelay.loadgen.result;
