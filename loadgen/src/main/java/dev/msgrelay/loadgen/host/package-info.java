/**
 * What the system tells about itself: files of /proc and /sys, network interfaces, and what short-lived commands print.
 * Everything here may be absent: on another system, in a container, without the right. Then it says so, and nothing
 * fails. Every wait is bounded, and nothing is changed, but by {@link dev.msgrelay.loadgen.host.RealTime} while it is asked to.
 */
package dev.msgrelay.loadgen.host;
