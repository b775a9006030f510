/**
 * The parts of a relay, put together and given back.
 *
 * <pre>
 *   RelayParts       makes what is there before the relay listens
 *        |
 *   EngineAssembly   builds everything, and frees it if a part cannot be made (Releases)
 *        |
 *   RelayEngine ---- ChannelSetup     makes a connection of an accepted channel, or refuses it
 *        |
 *        '---------- CoreDuty         the core's cycle: order, sends, acknowledgements, held publishers
 *                        |-- SendLoops       the loops that send
 *                        '-- JournalLink     EngineJournal: the log waits for unwritten bytes; or NoJournal
 *
 *   Entrances        the sockets that listen; UnixSockets with their files
 *   ClusterProvider  makes a relay a node of a cluster
 *   OrderedStream    the way into the log for runs that a cluster has put in order
 *   MemoryPlan       the limit of each part of the memory
 *   MachineMemory    the limit of them all that the system keeps; MachineLimits: all that the system limits
 *   RelayShutdown    the end, in order
 * </pre>
 *
 * <p>The cycle, and what it owns, is the core's thread; reports: any thread.
 *
 * <p><b>Public API:</b> {@code MemoryPlan}, as {@code RelayServer} hands it out, and {@code ClusterProvider}, for a
 * module that has clusters. All else is internal.
 */
package dev.msgrelay.server.assembly;
