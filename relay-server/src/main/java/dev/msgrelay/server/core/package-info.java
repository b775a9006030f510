/**
 * The one order: from producers of any thread into packets of the log.
 *
 * <pre>
 *   producers' threads                        |  the core's thread
 *   LocalPublisher -- RunStage --.            |
 *   reader loops -----------------> FrameRing -> NetworkBatchHandler -> PacketLog
 *                                             |                ^ take(span)
 *   sockets of the core's own loop ----------------RunScan-----'
 *
 *   EngineLoop: sockets and tasks --> Duty.work --> sleep, when there is no more
 * </pre>
 *
 * <p>A cell of the ring belongs to the producer that claimed it until it is published. A stage belongs to whoever holds its
 * word, its producer or the core. All else is the core's; an {@code EngineLoop} is its thread's, and may be signalled by any.
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.server.core;
