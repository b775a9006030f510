package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.ClientConfig;
import java.util.concurrent.atomic.AtomicInteger;

/** How many connections there are, and whether there may be one more. Asked on the accepting loop; told on any. */
public final class Admission {
    private final ClientConfig limits;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger publishers = new AtomicInteger();

    public Admission(ClientConfig limits) {
        this.limits = limits;
    }

    /** Counts one more in, which {@link #left} takes out again; or says why there may not be one. */
    public CloseReason admit(boolean publisher) {
        if (connections.get() >= limits.maxConnections()) {
            return CloseReason.TOO_MANY_CONNECTIONS;
        }
        if (publisher && publishers.get() >= limits.maxPublishers()) {
            return CloseReason.TOO_MANY_PUBLISHERS;
        }
        connections.incrementAndGet();
        if (publisher) {
            publishers.incrementAndGet();
        }
        return null;
    }

    /** A connection that was admitted is gone. */
    public void left(boolean publisher) {
        connections.decrementAndGet();
        if (publisher) {
            publishers.decrementAndGet();
        }
    }

    /** The limit that a refusal names. */
    public String text(CloseReason refusal) {
        return refusal == CloseReason.TOO_MANY_PUBLISHERS
                ? "there are " + limits.maxPublishers() + " publishers already, which is the limit"
                : "there are " + limits.maxConnections() + " connections already, which is the limit";
    }
}
