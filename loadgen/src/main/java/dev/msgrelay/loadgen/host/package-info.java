/**
 * What the system tells about itself: files of /proc and /sys, network interfaces, and what short-lived commands print.
 * Everything here may be absent: on another system, in a container, without the right. Then it says so, and nothing
 * fails. Nothing is changed, and every wait is bounded.
 */
package dev.msgrelay.loadgen.host;
