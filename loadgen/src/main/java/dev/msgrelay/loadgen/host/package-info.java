/**
 * What the system tells about itself: files of /proc and /sys, network interfaces, and what short-lived commands print.
 * Everything here may be absent: on another system, in a container, without the right. Then it says so, and nothing
 * fails. Every wait is bounded, and nothing is changed, but by {@link dev.msgrelay.loadgen.host.RealTime} while it is asked to.
 *
 * <pre>
 *  files of /proc, /sys  -- SystemTree --&gt; Cgroup, ClockFigures, ListeningSockets, RealTime
 *  interfaces            -- NetInterfaces, Offloads
 *  short-lived commands  -- Subprocess --&gt; Tool, LaneTools
 * </pre>
 *
 * Whoever asks, on its own thread; nothing is kept.
 */
package dev.msgrelay.loadgen.host;
