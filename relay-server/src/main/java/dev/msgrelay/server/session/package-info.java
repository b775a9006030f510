/**
 * The life of a connection, as publishers and subscribers share it.
 *
 * <pre>
 *   Session --> Dialogue: control frames     --> Timeouts: what is overdue      --> SessionRole: publisher or subscriber
 *                  Outbox: what is told, Closing: why it ends    Inbox: what a subscriber says
 *   ConnectionTable: who is connected      Services: what all connections of a relay share
 *   Durability: earlier lives of the stream, and up to where it is written and forced
 * </pre>
 *
 * <p>A connection and all it has belong to the thread of its channel's loop. The table is for any thread. Internal.
 */
package dev.msgrelay.server.session;
