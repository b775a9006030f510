/**
 * TLS 1.3 between a socket and a connection that knows nothing of it.
 *
 * <pre>
 *   socket --records--> TlsHandler --bytes, where the connection wants them--> PublisherConnection | SubscriberConnection
 *   SocketWriter, Replies --slices of the log, control frames--> TlsHandler --records--> socket
 *
 *   TlsHandler --handshake, record by record--> the thread relay-tls
 *
 *   TlsContext   certificate, key, authorities; anew at each reload; which library does it
 *   TlsRecords   sizes; what a ClientHello looks like
 *   TlsFailure   why a handshake failed, in words
 * </pre>
 *
 * <p>A handler belongs to its channel's loop, but for the handshake's steps: then the loop leaves it alone until it has it back.
 *
 * <p><b>Public API:</b> {@code TlsFiles} and {@code TlsProvider}. All else is internal.
 */
package dev.msgrelay.server.tls;
