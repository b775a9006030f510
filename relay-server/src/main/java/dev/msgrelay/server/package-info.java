/**
 * The relay: what publishers send is put into one total order, and every subscriber gets that order. Embeddable.
 *
 * <pre>
 *   RelayServer ---- Entrances (listening sockets), EngineLoops (threads), RelayShutdown (the end)
 *       |
 *   RelayEngine      wires everything between an accepted channel and one that is written to:
 *       |
 *       |   memory &lt;- log &lt;- flow &lt;- journal &lt;- core &lt;- net &lt;- access &lt;- tls &lt;- config &lt;- ops &lt;- session
 *       |          &lt;- ingest, fanout &lt;- this &lt;- admin &lt;- cli
 *       |
 *   ChannelSetup     makes a connection of a channel that was accepted, or refuses it
 *   EngineJournal    where the core and the journal meet: the log waits for what is not written
 *
 *   LocalPublisher   a producer thread of this process, one object each
 * </pre>
 *
 * <p>{@code RelayServer}: any thread. {@code RelayEngine}: its cycle is the core's thread; reports are for any.
 * {@code LocalPublisher}: the thread that took it. Dependencies point to the left only; a test keeps it so.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.server;
