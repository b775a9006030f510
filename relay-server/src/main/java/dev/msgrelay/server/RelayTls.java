package dev.msgrelay.server;

import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.tls.TlsContext;
import dev.msgrelay.server.tls.TlsRecords;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A relay's TLS: describes it for people, and shares it with other ports of this process. Any thread. */
public final class RelayTls {
    private final Optional<TlsContext> context;
    private final MemoryBudget.Pool memory;

    RelayTls(Optional<TlsContext> context, MemoryBudget.Pool memory) {
        this.context = context;
        this.memory = memory;
    }

    /** A text about the library, the certificate, and the certificates that clients need; empty if there is no TLS. */
    public String text() {
        return context.map(TlsContext::describe).orElse("");
    }

    /** Warnings about the dates of certificates and authorities, one line each. */
    public List<String> warnings() {
        return context.map(TlsContext::warnings).orElse(List.of());
    }

    /**
     * Seconds until the first certificate or authority expires; below 0 if one has expired or is not valid yet;
     * infinite without TLS.
     */
    public double validSeconds() {
        return context.map(files -> files.validMillis() / 1e3).orElse(Double.POSITIVE_INFINITY);
    }

    /**
     * Returns the context for another port. Until {@link #giveBack}, that port has a part of the memory for TLS.
     *
     * @throws IOException the relay was started without TLS, or the memory is used up
     */
    public TlsContext take(int connections) throws IOException {
        TlsContext found = context.orElseThrow(
                () -> new IOException("the relay was started without TLS: that is --tls-cert and --tls-key"));
        long bytes = bytes(connections);
        if (!memory.tryTake(bytes)) {
            throw new IOException("TLS size " + memory.limit() + " is too little for " + connections
                    + " connections more, which may take " + bytes + " bytes");
        }
        return found;
    }

    public void giveBack(int connections) {
        memory.giveBack(bytes(connections));
    }

    private static long bytes(int connections) {
        return (long) connections * TlsRecords.bytesOfConnection(true);
    }
}
