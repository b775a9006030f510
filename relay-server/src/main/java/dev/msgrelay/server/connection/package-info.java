/**
 * The life of a connection, as publishers and subscribers share it, and the loop that it lives on.
 *
 * <pre>
 *   Admission --> Session --> Dialogue: control frames     --> Timeouts: what is overdue
 *                    |           Outbox: what is told, Closing: why it ends
 *                    '------> SessionRole: publisher or subscriber
 *   EngineLoop: sockets and tasks --> Duty.work --> sleep, when there is no more
 *   ConnectionTable: who is connected      Services: what all connections of a relay share
 *   Durability: earlier lives of the stream, and up to where it is written and forced
 * </pre>
 *
 * <p>A connection and all it has belong to the thread of its channel's loop. An {@code EngineLoop} is its thread's, and
 * may be signalled by any. Table and admission are for any thread. Internal.
 */
package dev.msgrelay.server.connection;
