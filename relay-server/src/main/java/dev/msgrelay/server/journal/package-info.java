/**
 * The stream on the disk, as on the wire, for clients that come back after the end of the relay or the machine. This
 * package opens and writes it; {@code disk}, {@code format}, {@code recover} and {@code read} do not know the writer.
 * Internal, but for {@code JournalException}.
 *
 * <pre>
 *   PacketLog --LogReader--> JournalWriter --bytes, then a record--> 00000000000000000000.stream, .index
 *                               |  ^ FORCED                          00000000000134217728.stream, .index   the next
 *                       written |  | forced                          ...
 *                               v  |
 *                            JournalForcer --bytes, then records-->  epochs, names
 *                               '--SegmentFiles: makes files ready, drops old ones, uses them again
 *
 *   core --NameMoves--> WrittenNames, of the writer: the names whose messages the next block has
 * </pre>
 *
 * <p>Two threads: the writer's owns the {@code LogReader} and the current segment; the forcer's owns the files' names
 * and the sealed segments. They share {@code JournalParts}, the current segment, a queue of complete segments, and a
 * pair of files for the next one. The opening thread looks at the directory and cuts a torn tail before they start. A
 * {@code BlockReader} belongs to the subscriber's thread; it shares {@code written} and the map of readable segments
 * with them.
 */
package dev.msgrelay.server.journal;
