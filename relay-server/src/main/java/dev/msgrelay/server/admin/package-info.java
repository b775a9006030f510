/**
 * The admin port: how a relay is doing, by HTTP. One path changes something: {@code POST /reload}.
 *
 * <pre>
 *   AdminServer     listens, on a thread of its own; at most 64 connections
 *     AdminConnection   one request: whole within 5 s, answered, closed
 *       Refusals        method, Host, token
 *       Reload          what came of {@code POST /reload}, read on a thread of its own
 *       Answers         what is behind a path, made at most once a second
 *          Look ------- a relay at one moment: RelayStats and all ConnectionRows
 *          LookJson, Metrics, ConfigJson, RowsInput -- a Look in the words of who asks
 * </pre>
 *
 * <p>The admin port's thread, but for {@code AdminServer.start}, {@code close} and {@code address}. It reads what reports
 * read (see ARCHITECTURE.md, the table of fields that two threads touch), and writes nothing of the relay's but one counter. A
 * reload has a thread of its own ({@code relay-reload}): it waits for files.
 *
 * <p><b>Public API:</b> {@code AdminServer} and {@code Reload}. All else is internal.
 */
package dev.msgrelay.server.admin;
