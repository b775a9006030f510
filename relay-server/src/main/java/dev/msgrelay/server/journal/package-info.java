/**
 * The stream on the disk, as it goes over the wire: what outlives the relay, and the machine. This package opens and
 * writes it; {@code disk}, {@code format}, {@code recover} and {@code read} know nothing of the writing side. Internal,
 * but for {@code JournalException}.
 *
 * <pre>
 *   PacketLog --LogReader--> JournalWriter --bytes, then a record--> 00000000000000000000.stream, .index
 *                               |  ^ FORCED                          00000000000134217728.stream, .index   the next
 *                       written |  | forced                          ...
 *                               v  |
 *                            JournalForcer --bytes, then records-->  epochs, names
 *                               '--SegmentFiles: makes files ready, drops old ones, uses them again
 *
 *   core --NameMoves--> WrittenNames, of the writer: which name's messages the next block has
 * </pre>
 *
 * <p>Two threads: the writer's owns the reader of the log, the current segment and its index; the forcer's owns the
 * names of the files, and everything that is sealed. They share {@code written} and {@code forced} (each a {@code
 * StreamHead} with one writer), the segment that is current, a queue of those that are complete, and one pair of files
 * that is ready. The opening thread looks at the directory and repairs it before these are started. A {@code
 * BlockReader} belongs to its reader, and shares with them which segments are readable, and {@code written}.
 */
package dev.msgrelay.server.journal;
