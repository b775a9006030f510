/**
 * The relay: puts the messages of all publishers into one total order, and sends that order to every subscriber.
 * Embeddable.
 *
 * <pre>
 *   RelayServer ---- RelayParts (what it is made of), Entrances (listening sockets), RelayShutdown (the end)
 *       |
 *   RelayEngine      everything between an accepted channel and a written one
 *
 *   memory, net &lt;- log &lt;- flow &lt;- journal &lt;- core &lt;- access &lt;- tls &lt;- config &lt;- ops &lt;- session
 *          &lt;- ingest, fanout &lt;- engine &lt;- this &lt;- admin &lt;- cli
 *
 *   LocalPublisher   a producer thread of this process, one object each
 * </pre>
 *
 * <p>{@code RelayServer}: any thread. {@code LocalPublisher}: the thread that took it. Dependencies point to the left only; a test keeps it so.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.server;
