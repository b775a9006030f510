/**
 * A directory and its files: all that the journal knows of a file system. Internal.
 *
 * <p>{@code Disk} is what the journal asks for, {@code FileDisk} a directory of the machine, {@code OwnFiles} the
 * rights and locks of files that hold the stream.
 */
package dev.msgrelay.server.journal.disk;
