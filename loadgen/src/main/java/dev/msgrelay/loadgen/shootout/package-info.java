/**
 * A shootout: loads on lanes, round by round, each run beside what its lane could give.
 *
 * <pre>
 *  Matrix -&gt; LoadPoint          what is sent
 *  Plan   -&gt; Step               which runs, in which order           (no clock, no process)
 *  ShootoutRun                  opens lanes, goes through the plan   (controller's thread)
 *   +- Taker, Rig               one run and the core-to-core hops around it
 *   +- Book, Sheet, Records     what has been taken, as results know it
 *   +- Keeper, ResultFile       writes it after every run
 *  LaneCeilings                 what a link could give               (arithmetic)
 *  MeasuredCeilings             what the plain relay gave, where there is no link
 *  MaxRateSearch, RateProbe     the highest rate that passes         (no clock, no process; one run of it)
 *  RegimeChoice, CellFigures,
 *  LaneRatio, Spread            which runs count, and what they say together
 * </pre>
 *
 * {@link dev.msgrelay.loadgen.shootout.Rig} is all that touches the machine; tests put another one in its place.
 */
package dev.msgrelay.loadgen.shootout;
