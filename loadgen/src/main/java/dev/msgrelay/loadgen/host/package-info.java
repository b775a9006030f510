/**
 * What the system tells about itself: files in /proc and /sys, network interfaces, and the output of short commands.
 * Any of it may be missing, for example on another system or in a container. Then the value is reported as unknown, and
 * nothing fails. Every wait is bounded, and the system is not changed.
 *
 * <pre>
 *  files of /proc, /sys  -- SystemTree, of relay-server
 *      of the sockets                 --&gt; ListeningSockets
 *      of a network interface          --&gt; Nic
 *      of the machine                  --&gt; Machine: cores, CPU, JDK, kernel, beside each result
 *                                      --&gt; Doctor: Findings
 *  short-lived commands  -- Subprocess --&gt; Tool, LaneTools
 *  from core to core     -- CoreHop, measured once: part of Machine
 * </pre>
 *
 * Calls run on the caller's thread, and {@code CoreHop} starts a second one.
 */
package dev.msgrelay.loadgen.host;
