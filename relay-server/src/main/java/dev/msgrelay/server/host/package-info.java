/**
 * The limits that the system sets for a relay, read from /proc and /sys. If a file is absent, its limit counts as
 * unknown, and nothing fails.
 *
 * <pre>
 *   SystemTree       files below a root that a test may choose; limits of this process
 *   ControlGroups    the groups of this process: a container's limits
 *   FleetingFiles    a file system that does not survive the machine
 *   MemoryLimit      the lowest limit of memory, of groups and machine
 * </pre>
 *
 * <p>Any thread; nothing is cached. Internal.
 */
package dev.msgrelay.server.host;
