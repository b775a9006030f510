/**
 * Puts the messages of producers on any thread into one order, as packets of the log.
 *
 * <pre>
 *   producers' threads                        |  the core's thread
 *   LocalPublisher -- RunStage --.            |
 *   reader loops -----------------> FrameRing -> NetworkBatchHandler -> PacketLog --> LogReader
 *                                             |                ^ append(span)   ^
 *   sockets of the core's own loop ----------------RunScan-----'                '--room?-- WindowGate
 *
 *   WindowGate      keeps the log's end at most a window ahead of the slowest reader
 *   WaitingSources  publishers for which there is no room
 *   Orderer         decides the order of a cluster
 * </pre>
 *
 * <p>The core's thread writes the log; any thread reads it with a {@code LogReader} of its own. A cell of the ring
 * belongs to its producer until it is published. A stage belongs to the thread that has taken it. Internal.
 */
package dev.msgrelay.server.stream;
