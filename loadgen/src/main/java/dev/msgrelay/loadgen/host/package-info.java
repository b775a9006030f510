/**
 * The system's words about itself: files of /proc and /sys, network interfaces, and what short-lived commands print.
 * Everything here may be absent: on another system, in a container, without the right. Then it says so, and nothing
 * fails. Every wait is bounded, and nothing is changed.
 *
 * <pre>
 *  files of /proc, /sys  -- SystemTree, of relay-server
 *      of the processes               --&gt; ListeningSockets
 *      of a network interface          --&gt; Nic
 *      of the machine                  --&gt; Machine: cores, CPU, JDK, kernel, beside each result
 *                                      --&gt; Doctor: Findings
 *  short-lived commands  -- Subprocess --&gt; Tool, LaneTools
 *  from core to core     -- CoreHop, once: a line of the machine's description
 * </pre>
 *
 * Whoever asks, on its own thread, and {@code CoreHop} with a second one; nothing is kept.
 */
package dev.msgrelay.loadgen.host;
