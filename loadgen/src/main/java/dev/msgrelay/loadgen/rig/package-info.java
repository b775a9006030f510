/**
 * This package makes one run: it starts, measures and stops processes, and decides whether the run is valid.
 *
 * <pre>
 *  Plan -&gt; LoadRun -+- Contestant   starts what is measured: RelayContestant, CommandContestant, Contestants
 *                   +- Fleet        publishers and subscribers: Children, each a Child that gets a Job and a Window
 *                   |               and reports Progress, Sent or Got
 *                   +- Watch        samples all processes -&gt; Signals
 *          Sent, Got, Signals -&gt; Verdict -&gt; RunRecord
 * </pre>
 *
 * All code runs on the controller's thread. Every wait has a time limit, and all processes end with the run.
 */
package dev.msgrelay.loadgen.rig;
