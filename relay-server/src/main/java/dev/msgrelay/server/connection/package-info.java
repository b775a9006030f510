/**
 * The life of a connection, the same for publishers and subscribers; and its loop.
 *
 * <pre>
 *   Admission --> Session --> Dialogue: control frames     --> Timeouts: what is overdue
 *                    |                                        Closing: the last frame
 *                    '------> SessionRole: publisher or subscriber
 *   EngineLoop: sockets and tasks --> Duty.work --> sleep, when there is no more
 *   ConnectionTable: all connections      Services: shared by all connections
 *   Durability: the stream of earlier runs of the relay, its lives; the written and forced ends of the stream
 * </pre>
 *
 * <p>A connection and its parts belong to its loop's thread. Table and admission are for any thread. Internal.
 */
package dev.msgrelay.server.connection;
