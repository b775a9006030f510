/**
 * What a relay is started with: immutable records, checked when they are built.
 *
 * <pre>
 *   RelayConfig = ListenConfig + StreamConfig (the stream's memory) + ClientConfig (what clients may ask for)
 *               + LimitsConfig (what they may cost) + loops and timeouts
 * </pre>
 *
 * <p>Any thread.
 */
package dev.msgrelay.server.config;
