/**
 * TLS 1.3 between a socket and a connection that knows nothing of it.
 *
 * <pre>
 *   socket --records--> TlsInput --bytes, where the connection wants them--> PublisherConnection | SubscriberConnection
 *   SocketWriter, Replies --slices of the log, control frames--> TlsOutput --records--> socket
 *
 *   TlsHandshake the first handler of a channel, until the handshake is done: record by record, on the thread relay-tls
 *   TlsHandler   the one behind it: what the channel and the connection tell each other, and when it ends
 *   TlsContext   certificate, key, authorities; anew at each reload; which library does it
 *   TlsRecords   sizes; what a ClientHello looks like
 *   TlsFailure   why a handshake failed, in words
 * </pre>
 *
 * <p>All of a connection belongs to its channel's loop. For a step of the handshake the thread has the engine and both
 * buffers, and the loop leaves them alone until they come back.
 *
 * <p><b>Public API:</b> {@code TlsFiles} and {@code TlsProvider}. All else is internal.
 */
package dev.msgrelay.server.tls;
