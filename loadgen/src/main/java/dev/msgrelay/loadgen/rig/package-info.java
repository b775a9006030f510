/**
 * One run: its processes from the first to the last, what they say, and what that is worth.
 *
 * <pre>
 *  LoadRun -+- Contestant   starts what lies between: RelayContestant, CommandContestant, Contestants
 *           +- Fleet    starts publishers and subscribers, tells them the window and what was sent
 *           |             Children, each a Child: lines of a worker of {@link dev.msgrelay.loadgen.worker}
 *           +- Watch    looks at all of them meanwhile -&gt; Signals
 *
 *  lines of JSON -&gt; Said (publishers, subscribers) + RelayFigures -&gt; RunResult -&gt; Verdict
 * </pre>
 *
 * The controller's thread does it all; every wait in it is bounded, and no process outlives it.
 */
package dev.msgrelay.loadgen.rig;
