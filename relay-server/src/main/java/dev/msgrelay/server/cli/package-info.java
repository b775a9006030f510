/**
 * The command: options in, one relay, a line a second or JSON out.
 *
 * <pre>
 *   flags, RELAY_*, ConfigFile --> Configuration, AccessBlock      HoconFile: reads files, also the cluster's
 *                                        |
 *   RelayServerMain --> RelayServerCommand (options) --> RelayConfig --> RelayServer
 *   Hangup (SIGHUP), POST /reload --^  '--> ServerReport: TextReport | JsonReport, from the counters
 * </pre>
 *
 * <p>The main thread; it never touches a connection.
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.server.cli;
