package dev.msgrelay.server;

import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.tls.TlsContext;
import dev.msgrelay.server.tls.TlsRecords;
import java.io.IOException;
import java.util.List;

/** A relay's TLS, for people and for other ports of this process. Any thread. */
public final class RelayTls {
    // Null: there is no TLS.
    private final TlsContext context;
    private final MemoryBudget.Pool memory;

    RelayTls(TlsContext context, MemoryBudget.Pool memory) {
        this.context = context;
        this.memory = memory;
    }

    /**
     * A text for people: the provider and why, the relay's certificate, and the certificate asked of clients; empty:
     * there is no TLS.
     */
    public String text() {
        return context == null ? "" : context.describe();
    }

    /** Warnings about the dates of certificates and authorities; a line each. */
    public List<String> warnings() {
        return context == null ? List.of() : context.warnings();
    }

    /**
     * Seconds until the first certificate or authority expires; below 0: one has expired or is not yet valid; infinite:
     * there is no TLS.
     */
    public double validSeconds() {
        return context == null ? Double.POSITIVE_INFINITY : context.validMillis() / 1e3;
    }

    /**
     * The context for another port. Memory for {@code connections} connections is taken from the TLS part, until {@link
     * #giveBack}.
     *
     * @throws IOException the relay was started without TLS, or the memory is used up
     */
    public TlsContext take(int connections) throws IOException {
        if (context == null) {
            throw new IOException("the relay was started without TLS: that is --tls-cert and --tls-key");
        }
        long bytes = bytes(connections);
        if (!memory.tryTake(bytes)) {
            throw new IOException("TLS size " + memory.limit() + " is too little for " + connections
                    + " connections more, which may take " + bytes + " bytes");
        }
        return context;
    }

    public void giveBack(int connections) {
        memory.giveBack(bytes(connections));
    }

    private static long bytes(int connections) {
        return (long) connections * TlsRecords.bytesOfConnection(true);
    }
}
