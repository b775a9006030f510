/**
 * The limits that the system sets for a relay, read from /proc and /sys. If a file is absent, its limit counts as
 * unknown, and nothing fails.
 *
 * <pre>
 *   SystemTree       files below a root that a test may choose; limits of this process
 *   ControlGroups    the control groups of this process, which limit a container
 *   FleetingFiles    file systems whose files do not survive the machine
 *   MemoryLimit      the lowest memory limit of the control groups and the machine
 * </pre>
 *
 * <p>Any thread; nothing is cached. Internal.
 */
package dev.msgrelay.server.host;
