/**
 * The command: reads options, runs one relay, and reports on it for people or scripts.
 *
 * <pre>
 *   flags, RELAY_*, ConfigFile --> Configuration, AccessBlock      HoconFile: reads files, also the cluster's
 *                                        |
 *   RelayServerMain --> RelayServerCommand --> Settings (the table) --> RelayConfig --> RelayServer
 *   SIGHUP, POST /reload: Reloading --^ '--> ServerReport: TextReport | JsonReport, from the counters
 * </pre>
 *
 * <p>Runs on the main thread, which never touches a connection.
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.server.cli;
