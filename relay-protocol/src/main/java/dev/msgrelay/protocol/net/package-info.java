/**
 * The address of a relay, the best size of writes to it, and files for TLS; with the JDK's sockets alone. Values and
 * static methods without state: any thread.
 *
 * <pre>
 *  "host:7400", ":7400", "unix:PATH" -- Endpoint --&gt; an address to connect to
 *  MTU, MSS of a connection          -- Segments --&gt; bytes of a write that end where a TCP segment ends
 *  certificates and keys as text     -- PemFiles --&gt; certificates and keys for TLS, or the line of the error
 *  an error of the JDK's TLS         -- TlsFault --&gt; its reason, for people
 * </pre>
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.protocol.net;
