/**
 * A directory and its files: all that the journal uses of a file system. Internal.
 *
 * <p>{@code Disk} is the interface of the journal, {@code FileDisk} a directory of the machine, {@code OwnFiles} has
 * the rights and locks of files that hold the stream, {@code FirstWrite} logs a disk that hangs when a relay starts.
 */
package dev.msgrelay.server.journal.disk;
