/**
 * One run: its processes from the first to the last, their words, and the verdict.
 *
 * <pre>
 *  Plan -&gt; LoadRun -+- Contestant   starts the middle: RelayContestant, CommandContestant, Contestants
 *                   +- Fleet        publishers and subscribers: Children, each a Child that gets a Job and a Window
 *                   |               and says Progress, Sent or Got
 *                   +- Watch        looks at all of them meanwhile -&gt; Signals
 *          Sent, Got, Signals -&gt; Verdict -&gt; RunRecord
 * </pre>
 *
 * The controller's thread does it all; every wait in it is bounded, and no process outlives it.
 */
package dev.msgrelay.loadgen.rig;
