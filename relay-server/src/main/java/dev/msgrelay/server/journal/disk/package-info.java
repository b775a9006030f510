/**
 * A directory and its files, which are all that the journal uses of a file system. Internal.
 *
 * <p>{@code Disk} is the interface that the journal uses, {@code FileDisk} a directory of the machine. {@code OwnFiles}
 * sets permissions and locks of files that hold the stream. {@code FirstWrite} finds a disk that hangs.
 */
package dev.msgrelay.server.journal.disk;
