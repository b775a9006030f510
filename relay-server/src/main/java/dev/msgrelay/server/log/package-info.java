/**
 * The last bytes of the stream, as they go over the wire.
 *
 * <p>The core's thread writes chunks, index and head; any thread reads them with a {@code LogReader} of its own, after
 * it has read the head. The writer fills a chunk anew only when nobody else holds it. The writer asks {@code WriteGate}
 * before each run. Internal.
 */
package dev.msgrelay.server.log;
