/**
 * The stream on the disk, as it goes over the wire: what outlives the relay, and the machine.
 *
 * <pre>
 *   PacketLog --LogReader--> JournalWriter --bytes, then a record--> 00000000000000000000.stream    frames, nothing else
 *                               |  ^ FORCED                          00000000000000000000.index     header, records
 *                       written |  | forced                          00000000000134217728.stream    the next segment
 *                               v  |                                 ...
 *                            JournalForcer --bytes, then records-->  epochs   lives of the relay: where each began
 *                                                                    names    how far acknowledged publishers are
 *                               '--SegmentFiles: makes files ready, drops old ones, uses them again
 *
 *   position   0            base of a segment                    written      head of the log
 *              |-- segment --|-- block --|-- block --|-- block --|            |
 *                     ^ forced          file offset = position - base
 *
 *   index:  | header 64 | BLOCK 64 | NAME 64 | MOVED 64 | BLOCK 64 | FORCED 64 | ... |    each sealed with its own CRC
 *
 *   core --NameMoves--> WrittenNames, of the writer: which name's messages the next block has
 * </pre>
 *
 * <p>{@code Recovery} looks at a directory and changes nothing: what files, tables and headers there are ({@code Listing}),
 * then record by record; {@code FoundNames} is what these say of names. {@code Repair} cuts torn tails and writes off damage;
 * {@code JournalReader} reads messages of a directory, {@code JournalFeed} blocks of a journal that is being written, for
 * subscribers that the log has overtaken. {@code Disk} is all that they know of a file system.
 *
 * <p>Two threads: the writer's owns the reader of the log, the current segment and its index; the forcer's the names of the
 * files, and everything that is sealed. They share {@code written} and {@code forced} (each a {@code StreamHead} with one
 * writer), the segment that is current, a queue of those that are complete, and one pair of files that is ready. {@code Recovery}, {@code Repair} and opening: the thread that
 * calls, before these are started. A {@code JournalFeed}: whose it is; it shares with them which segments are held, and
 * {@code written}.
 */
package dev.msgrelay.server.journal;
