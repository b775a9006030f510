/**
 * A directory and its files: the only door from the journal to a file system. Internal.
 *
 * <p>{@code Disk} is the interface of the journal, {@code FileDisk} a directory of the machine, {@code OwnFiles} has
 * the rights and locks of files that hold the stream, {@code FirstWrite} logs that a disk hangs at a start.
 */
package dev.msgrelay.server.journal.disk;
