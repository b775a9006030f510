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
 * <p>The core's thread writes chunks, index and head; any thread reads them with a {@code LogReader} of its own, after
 * it has read the head. The writer fills a chunk anew only when nobody else holds it. The writer asks {@code WriteGate}
 * before each run.
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.server.log;
