/**
 * Where a relay is reached, and how many bytes a write to it best has; of the JDK's sockets alone. Values and static
 * methods without state: any thread.
 *
 * <pre>
 *  "host:7400", ":7400", "unix:PATH" -- Endpoint --&gt; an address to connect to
 *  MTU, MSS of a connection          -- Segments --&gt; bytes of a write that end where a TCP segment ends
 *  certificates and keys as text     -- PemFiles --&gt; what TLS is made from, or the line that is wrong
 * </pre>
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.protocol.net;
