package dev.msgrelay.server.config;

import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsHandler;
import dev.msgrelay.server.tls.TlsProvider;

/**
 * TLS, on ports of its own.
 *
 * @param files certificate, key, authorities of clients; null: no TLS
 * @param publishPort TCP port for publishers, 0 for any free one, {@link ListenConfig#OFF} for none
 * @param subscribePort TCP port for subscribers, likewise
 * @param provider whose TLS it is
 * @param recordsPerKey that one key protects before the client is asked to connect again, where the provider does not renew it
 * @param memoryBytes of direct memory for all TLS connections; one more than it has room for is refused
 */
public record TlsConfig(
        TlsFiles files, int publishPort, int subscribePort, TlsProvider provider, long recordsPerKey, int memoryBytes) {
    public static final int DEFAULT_PUBLISH_PORT = 7411;
    public static final int DEFAULT_SUBSCRIBE_PORT = 7410;
    /** 600 connections, and room for 300 of them to be busy at a time. */
    public static final int DEFAULT_MEMORY_BYTES = 64 << 20;

    /**
     * Records that one key of AES-GCM protects at most: 2^24 (RFC 8446, 5.5), less those of the seconds within which the
     * client is asked to connect again.
     */
    public static final long DEFAULT_RECORDS_PER_KEY = (1 << 24) - (1 << 21);

    private static final int LEAST_BYTES = 1 << 20;
    private static final int MOST_BYTES = 1 << 30;

    public TlsConfig {
        ListenConfig.checkPort("TLS publish port", publishPort);
        ListenConfig.checkPort("TLS subscribe port", subscribePort);
        if (publishPort > 0 && publishPort == subscribePort) {
            throw new IllegalArgumentException(
                    "TLS publish port and TLS subscribe port are both " + publishPort + ": they must differ");
        }
        if (recordsPerKey < 1 || recordsPerKey > DEFAULT_RECORDS_PER_KEY) {
            throw new IllegalArgumentException(
                    "TLS records per key " + recordsPerKey + " is not within 1.." + DEFAULT_RECORDS_PER_KEY);
        }
        if (memoryBytes < LEAST_BYTES || memoryBytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "TLS size " + memoryBytes + " is not within " + LEAST_BYTES + ".." + MOST_BYTES);
        }
    }

    /** Whether there is TLS at all. */
    public boolean on() {
        return files != null;
    }

    /** How many connections there is memory for. */
    public int mostConnections() {
        return on() ? memoryBytes / TlsHandler.leastBytesOfOne() : 0;
    }
}
