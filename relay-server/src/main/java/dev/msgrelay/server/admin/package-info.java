/**
 * The admin port: a relay's figures and health, by HTTP. Only one path changes anything: {@code POST /reload}.
 *
 * <pre>
 *   AdminServer     listens, on a thread of its own; at most 64 connections
 *     FirstBytes        recognises other protocols, which are refused
 *     AdminConnection   one request: complete within 5 s, answered, closed
 *       Refusals        method, Host, token
 *       Reload          the result of {@code POST /reload}, read on a thread of its own
 *       Answers         the answer to each path
 *          Look ------- a relay at one moment: RelayStats, and a ConnectionRow for each connection; also as JSON
 *          Metrics, ConfigJson, RowsInput -- the other formats
 * </pre>
 *
 * <p>All classes belong to the admin port's thread, except for the public methods of {@code AdminServer}. The thread
 * reads figures that any thread may read, and writes a single counter of the relay. A reload has a thread of its own
 * ({@code relay-reload}), since reading files may block.
 *
 * <p><b>Public API:</b> {@code AdminServer}. All other classes are internal.
 */
package dev.msgrelay.server.admin;
