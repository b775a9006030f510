/**
 * The one order: from producers of any thread into packets of the log.
 *
 * <pre>
 *   producers' threads                        |  the core's thread
 *   LocalPublisher -- RunStage --.            |
 *   reader loops -----------------> FrameRing -> NetworkBatchHandler -> PacketLog --> LogReader
 *                                             |                ^ append(span)   ^
 *   sockets of the core's own loop ----------------RunScan-----'                '--room?-- WindowGate
 *
 *   WindowGate      keeps the log within a window after its slowest reader
 *   WaitingSources  publishers for which there is no room
 *   Orderer         decides the order of a cluster
 * </pre>
 *
 * <p>The core's thread writes the log; any thread reads it with a {@code LogReader} of its own. A cell of the ring
 * belongs to the producer that claimed it until it is published; a stage to the thread that has taken it. Internal.
 */
package dev.msgrelay.server.stream;
