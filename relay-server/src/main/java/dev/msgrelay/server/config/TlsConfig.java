package dev.msgrelay.server.config;

import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import dev.msgrelay.server.tls.TlsRecords;

/**
 * TLS and its own ports.
 *
 * @param files certificate, key, authorities of clients; null for no TLS
 * @param publishPort TCP port for publishers; 0 for any free one, {@link ListenConfig#OFF} for none
 * @param subscribePort TCP port for subscribers; 0 for any free one, {@link ListenConfig#OFF} for none
 * @param recordsPerKey records with one key after which the client is asked to connect again, if the library does not
 *     renew its keys
 * @param memoryBytes bytes of direct memory for all TLS connections; a connection beyond that is refused
 */
public record TlsConfig(
        TlsFiles files, int publishPort, int subscribePort, TlsProvider provider, long recordsPerKey, int memoryBytes) {

    /** The limit of AES-GCM, 2^24 records (RFC 8446, 5.5), less 2^21 for the seconds until the client reconnects. */
    public static final long DEFAULT_RECORDS_PER_KEY = (1 << 24) - (1 << 21);

    private static final int LEAST_BYTES = 1 << 20;
    private static final int MOST_BYTES = 1 << 30;

    public TlsConfig {
        ListenConfig.checkPorts("TLS ", publishPort, subscribePort);
        Range.check("TLS records per key", recordsPerKey, 1, DEFAULT_RECORDS_PER_KEY);
        Range.check("TLS size", memoryBytes, LEAST_BYTES, MOST_BYTES);
    }

    public boolean on() {
        return files != null;
    }

    public int mostConnections() {
        return on() ? memoryBytes / TlsRecords.bytesOfConnection(true) : 0;
    }
}
