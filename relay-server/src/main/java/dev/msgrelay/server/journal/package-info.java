/**
 * The stream on the disk, in the same format as on the wire. From the journal clients can continue after a crash or a
 * restart of relay or machine. This package opens and writes the journal; the subpackages do not depend on the writer.
 * Internal, except {@code JournalException}.
 *
 * <pre>
 *   PacketLog --LogReader--> JournalWriter --bytes, then a record--> 00000000000000000000.stream, .index
 *                               |  ^ FORCED                          00000000000134217728.stream, .index   the next
 *                       written |  | forced                          ...
 *                               v  |
 *                            JournalForcer --bytes, then records-->  epochs, names
 *                               '--SegmentFiles: makes files ready, drops old ones, uses them again
 *
 *   core --NameMoves--> WrittenNames (the writer's)   the names that have messages in the next block
 * </pre>
 *
 * <p>There are two threads. The writer's thread owns the {@code LogReader} and the current segment. The forcer's thread
 * owns the names of the files and the segments that are complete and forced. They share {@code JournalParts}, the
 * current segment, a queue of complete segments, and a pair of files for the next one. Before they start, the opening
 * thread inspects the directory and cuts off a torn tail. A {@code BlockReader} belongs to the subscriber's thread; it
 * shares {@code written} and the map of readable segments with the two threads.
 */
package dev.msgrelay.server.journal;
