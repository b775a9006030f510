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
 *   WindowGate      the slowest of its limits counts, and signals the log's writer once half of the window is free
 *   WaitingSources  publishers without room, resumed all together once there is plenty of it
 *   Orderer         decides the order of several relays
 * </pre>
 *
 * <p>A cell of the ring belongs to the producer that claimed it until it is published. A stage belongs to the thread
 * that has its word, its producer or the core. The core's thread writes chunks, index and head. Any thread reads them
 * with a {@code LogReader} of its own, after it has read the head. The writer fills a chunk anew once no reader pins
 * it. Limits of the gate come, move and go on any thread. Sources add themselves on their own threads; the core resumes
 * them. Internal.
 */
package dev.msgrelay.server.stream;
