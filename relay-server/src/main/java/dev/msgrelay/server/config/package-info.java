/**
 * The settings of a relay: immutable records, checked when built.
 *
 * <pre>
 *   RelayConfig = ListenConfig + StreamConfig (the stream's memory) + ClientConfig (policies, time-outs, numbers)
 *               + LimitsConfig (cost of clients) + TlsConfig + JournalConfig (the stream on a disk)
 *               + loops and timeouts; a RelayOption is one of these values, with its name and default
 * </pre>
 *
 * <p>Any thread.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.server.config;
