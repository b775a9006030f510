/**
 * The parts of a relay, put together and released.
 *
 * <pre>
 *   RelayParts       makes all parts but the sockets, and ends them in order
 *        |
 *   EngineAssembly   builds the engine, and releases its parts if one cannot be made (Releases)
 *        |
 *   RelayEngine ---- ChannelSetup     turns an accepted channel into a connection, or refuses it
 *        |
 *        '---------- CoreDuty         the core's cycle: order, sends, acknowledgements, waiting publishers
 *                        |-- SendLoops       the loops that send
 *                        '-- JournalLink     EngineJournal, for which the log keeps unwritten bytes; or NoJournal
 *
 *   Entrances        the sockets that listen; UnixSockets with their files
 *   ClusterProvider  makes a relay a node of a cluster
 *   OrderedStream    the way into the log for messages that a cluster has ordered
 *   MemoryPlan       the limit of each part of the memory
 *   MachineLimits    the limits of the system for this process
 * </pre>
 *
 * <p>The core's thread owns the cycle. Any thread may call the reports.
 *
 * <p><b>Public API:</b> {@code MemoryPlan}, since {@code RelayServer} returns it, and {@code ClusterProvider}, for the
 * module that implements clusters. All other classes are internal.
 */
package dev.msgrelay.server.assembly;
