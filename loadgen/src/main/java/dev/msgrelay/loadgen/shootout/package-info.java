/**
 * A shootout: loads on lanes, round by round, each run beside what its lane could give.
 *
 * <pre>
 *  Matrix -&gt; Load               what is sent
 *  ShootoutRun                  opens lanes, has their cells measured in turn    (controller's thread)
 *   +- LaneSheet                  a lane's cells, and what their runs say of it
 *   |   +- LaneCeilings             what a link could give                       (arithmetic)
 *   |   +- Baselines                what a link gives without a relay
 * </pre>
 *
 * {@link dev.msgrelay.loadgen.experiment.Experiment} measures;
 * {@link dev.msgrelay.loadgen.shootout.Equipment} is all that touches the machine: tests put another one in its place.
 */
package dev.msgrelay.loadgen.shootout;
