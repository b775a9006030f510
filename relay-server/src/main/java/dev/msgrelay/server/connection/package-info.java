/**
 * Connections from start to end, as far as publishers and subscribers are alike; and the event loop of connections.
 *
 * <pre>
 *   Admission --> Session --> Dialogue: control frames     --> Timeouts: what is overdue
 *                    |                                        Closing: the last frame
 *                    '------> SessionRole: publisher or subscriber
 *   EngineLoop: sockets and tasks --> Duty.work --> sleep, if no work is left
 *   ConnectionTable: all connections      Services: shared by all connections
 *   Durability: the lives of the stream, and up to where it is written and forced
 * </pre>
 *
 * <p>A connection and its parts belong to its loop's thread. The table and Admission are for any thread. Internal.
 */
package dev.msgrelay.server.connection;
