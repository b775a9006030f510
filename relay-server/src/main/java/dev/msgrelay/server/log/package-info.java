/**
 * The last bytes of the stream, as they go over the wire.
 *
 * <pre>
 *   position   tail                                   head   end
 *               | chunk | chunk | chunk | chunk | chunk | ...|        PacketLog: written by one thread
 *               | packet | packet | packet | packet |                 PacketIndex: where packets start
 *                    ^ LogReader   ^ LogReader                         each holds the chunks that it stands in
 *   aside:  | chunk |               dropped, and still held by a reader
 * </pre>
 *
 * <p>The core's thread writes chunks, index and head; any thread reads them, each with a {@code LogReader} of its own, after
 * it has read the head. A chunk is written anew only when nobody else counts it. {@code WriteGate} is asked by the writer.
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.server.log;
