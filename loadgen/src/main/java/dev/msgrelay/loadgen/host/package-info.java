/**
 * Facts about the system, from files in /proc and /sys, network interfaces, and the output of short commands. Any fact
 * may be missing, for example on another system or in a container. Such a fact is reported as unknown, and nothing
 * fails. Every wait is bounded, and the system is not changed.
 *
 * <pre>
 *  files of /proc, /sys  -- SystemTree, of relay-server
 *      of the sockets                 --&gt; ListeningSockets
 *      of a network interface          --&gt; Nic
 *      of the machine                  --&gt; Machine: cores, CPU, JDK, kernel, beside each result
 *                                      --&gt; Doctor: Findings
 *  short-lived commands  -- Subprocess --&gt; Tool, LaneTools
 *  from core to core     -- CoreHop: a time that is part of Machine
 * </pre>
 *
 * The code runs on the caller's thread. {@code CoreHop} also starts a second thread.
 */
package dev.msgrelay.loadgen.host;
