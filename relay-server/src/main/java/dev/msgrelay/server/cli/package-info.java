/**
 * The command: options in, one relay, a line a second or JSON out.
 *
 * <pre>
 *   RelayServerMain --> RelayServerCommand (options) --> RelayConfig --> RelayServer
 *                             '--> ServerReport: TextReport | JsonReport, from the counters
 * </pre>
 *
 * <p>The main thread; it never touches a connection.
 */
package dev.msgrelay.server.cli;
