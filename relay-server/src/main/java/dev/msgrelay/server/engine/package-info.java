/**
 * The relay without its sockets and threads.
 *
 * <pre>
 *   EngineAssembly   builds everything, and frees it if a part cannot be made (Startup)
 *        |
 *   RelayEngine ---- ChannelSetup     makes a connection of an accepted channel, or refuses it
 *        |
 *        '---------- CoreDuty         the core's cycle: order, sends, acknowledgements, held publishers
 *                        |-- SendLoops       the loops that send
 *                        '-- JournalLink     EngineJournal: the log waits for unwritten bytes; or NoJournal
 *
 *   OrderedStream    the way into the log for runs that a cluster has put in order
 *   MemoryPlan       the limit of each part of the memory
 *   MachineMemory    the limit of them all that the system keeps
 * </pre>
 *
 * <p>The cycle, and what it owns, is the core's thread; reports: any thread.
 *
 * <p><b>Public API:</b> {@code MemoryPlan} and {@code JournalException}, as {@code RelayServer} hands them out. All else
 * is internal.
 */
package dev.msgrelay.server.engine;
