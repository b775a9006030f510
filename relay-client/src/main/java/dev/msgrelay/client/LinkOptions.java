package dev.msgrelay.client;

import dev.msgrelay.protocol.Protocol;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** What the options of subscriber and publisher have in common. Immutable. */
record LinkOptions(
        List<Endpoint> endpoints,
        boolean plain,
        Duration handshakeTimeout,
        ReconnectPolicy reconnect,
        Consumer<SessionEvent> onEvent) {
    static final Duration DEFAULT_HANDSHAKE = Duration.ofSeconds(5);

    LinkOptions {
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("no endpoint to connect to");
        }
        Timeouts.check("handshakeTimeout", handshakeTimeout);
    }

    static int heartbeatMillis(Duration wanted) {
        long millis = wanted.toMillis();
        if (millis < Protocol.MIN_HEARTBEAT_MILLIS || millis > Protocol.MAX_HEARTBEAT_MILLIS) {
            throw new IllegalArgumentException("heartbeat of " + millis + " ms is not within "
                    + Protocol.MIN_HEARTBEAT_MILLIS + ".." + Protocol.MAX_HEARTBEAT_MILLIS);
        }
        return (int) millis;
    }
}
