/**
 * The files of a journal, byte by byte: names, headers, records, tables. Internal.
 *
 * <pre>
 *   .stream  | block | block | block |                                    frames, nothing else
 *   .index   | header 64 | BLOCK 64 | NAME 64 | MOVED 64 | BLOCK 64 | FORCED 64 | ... |    each sealed with its own CRC
 *   epochs   the lives of the stream                        names   the last message of each acknowledged publisher
 *   state    the newest message of each type, before a segment
 *
 *   position   0            base of a segment                    written      head of the log
 *              |-- segment --|-- block --|-- block --|-- block --|            |
 *                     ^ forced          file offset = position - base
 * </pre>
 *
 * <p>All code that walks over an index uses {@code IndexCursor}.
 */
package dev.msgrelay.server.journal.format;
