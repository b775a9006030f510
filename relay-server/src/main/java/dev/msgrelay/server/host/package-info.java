/**
 * Limits of a relay in the system's files about itself, /proc and /sys. A file may be absent; then nothing is known,
 * and nothing fails.
 *
 * <pre>
 *   SystemTree       files below a root that a test may choose; limits of this process
 *   ControlGroups    the groups of this process: a container's limits
 *   FleetingFiles    a file system that does not survive the machine
 *   MemoryLimit      the lowest limit of memory, of groups and machine
 * </pre>
 *
 * <p>Any thread; nothing is kept. Internal.
 */
package dev.msgrelay.server.host;
