/**
 * TLS 1.3 between a socket and a connection.
 *
 * <pre>
 *   socket --records--> TlsInput --bytes, in the connection's memory--> PublisherConnection | SubscriberConnection
 *   SocketWriter, Replies --slices of the log, control frames--> TlsOutput --records--> socket
 *
 *   TlsHandshake the first handler of a channel, until the handshake is done; each step runs on the thread relay-tls
 *   TlsHandler   the second handler: passes events between the channel and the connection, and ends TLS
 * </pre>
 *
 * <p>All parts of a connection belong to its channel's loop. During a step of the handshake the thread {@code
 * relay-tls} owns the engine and both buffers, and the loop does not use them.
 *
 * <p><b>Public API:</b> {@code TlsFiles} and {@code TlsProvider}. All other classes are internal.
 */
package dev.msgrelay.server.tls;
