/**
 * The relay: puts the messages of all publishers into one total order, and sends that order to every subscriber.
 * Embeddable.
 *
 * <pre>
 *   RelayServer      one relay; its parts are put together in assembly
 *   LocalPublisher   a producer thread of this process, one object each
 *   RelayTls         a relay's TLS
 *
 *   host, memory, net, access &lt;- figures, tls &lt;- stream &lt;- journal &lt;- config &lt;- connection
 *          &lt;- producers, subscribe &lt;- publish &lt;- assembly &lt;- this &lt;- admin &lt;- cli
 * </pre>
 *
 * <p>Any thread may use a {@code RelayServer}; a {@code LocalPublisher} belongs to the thread that took it. A package
 * depends only on packages to its left, which a test checks.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.server;
