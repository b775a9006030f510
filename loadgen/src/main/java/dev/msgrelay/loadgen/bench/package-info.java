/**
 * The benchmark: what is measured against what, and what is asked of it.
 *
 * <pre>
 *  Cases        all of them
 *   BenchCase     contestants and candidates of a ceiling, as cells; Metric: what is asked
 *    Round          one go through all of them                         (counts when all of its runs do, on one machine)
 *    CaseResult     medians over the rounds that count, as lines and as ratios
 * </pre>
 *
 * {@link dev.msgrelay.loadgen.experiment.Experiment} measures, on the command's thread; the rest is immutable.
 */
package dev.msgrelay.loadgen.bench;
