/**
 * The {@code loadgen} command. It parses options, starts experiments, and prints their results.
 *
 * <pre>
 *  LoadgenMain -&gt; a command
 *    run, compare, shootout    LoadOptions -&gt; Load, Timing     RelayStartOptions -&gt; arguments of the relay
 *    compare                   CompareSides -&gt; a Load and a Contestant for A and for B
 *    run, shootout             ConnectOptions -&gt; the relay of another host, and the link to it
 *                                   | Options: refuses invalid values; its message names option and limits
 *    stdout &lt;- text of a report, or Results as JSON &lt;-+       stderr &lt;- ProgressLine
 * </pre>
 *
 * All code runs on the command's thread. Ctrl-C interrupts that thread.
 */
package dev.msgrelay.loadgen.cli;
