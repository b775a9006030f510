/**
 * The {@code loadgen} command: options into what the other packages do, and their results to people or programs.
 *
 * <pre>
 *  LoadgenMain -&gt; a command: Told
 *    run, ceiling, compare, shootout             LoadOptions, MatrixOptions         -&gt; Load, Timing  what is sent
 *                                                ThroughOptions, ContestantOptions  -&gt; Contestant    what lies between
 *                                                LaneOptions                        -&gt; Lane          where it lives
 *    doctor, ceiling                             LinkOptions                                         what there is
 *                                                     | Options: what does not fit is refused, by name and limit
 *    stdout &lt;- text of a report, or Results as JSON &lt;-+       stderr &lt;- ProgressLine
 * </pre>
 *
 * The command's thread; Ctrl-C interrupts it.
 */
package dev.msgrelay.loadgen.cli;
