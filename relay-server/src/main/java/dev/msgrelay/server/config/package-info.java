/**
 * What a relay is started with: immutable records, checked when they are built.
 *
 * <pre>
 *   RelayConfig = ListenConfig + StreamConfig (the stream's memory) + ClientConfig (what clients may ask for)
 *               + LimitsConfig (what they may cost) + TlsConfig + JournalConfig (the stream on a disk)
 *               + loops and timeouts
 * </pre>
 *
 * <p>Any thread.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.server.config;
