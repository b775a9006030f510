package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.UndecodedText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What the options of a publisher and of a subscriber have in common: where to connect to, and how. Immutable. */
public abstract sealed class ConnectionOptions permits PublisherOptions, SubscriberOptions {
    private final List<Endpoint> endpoints;
    private final boolean plain;
    private final Token token;
    private final ReconnectPolicy reconnect;
    private final int bufferSize;
    private final int maxBody;
    private final Duration connectTimeout;
    private final Duration handshakeTimeout;
    private final TlsOptions tls;
    private final Consumer<SessionEvent> onEvent;

    ConnectionOptions(Builder<?> builder, int bufferSize) {
        if (builder.endpoints.isEmpty()) {
            throw new IllegalArgumentException("no endpoint to connect to");
        }
        if (builder.maxBody < 0 || builder.maxBody > FrameLayout.MAX_MAX_BODY) {
            throw new IllegalArgumentException(
                    "maxBody " + builder.maxBody + " is not within 0.." + FrameLayout.MAX_MAX_BODY);
        }
        if (builder.tls != null) {
            for (Endpoint endpoint : builder.endpoints) {
                if (endpoint.isUnix()) {
                    throw new IllegalArgumentException("TLS is for TCP, and " + endpoint + " is a Unix socket");
                }
            }
        }
        if (UndecodedText.in(builder.name)) {
            throw new IllegalArgumentException("name '" + PrintableText.line(builder.name)
                    + "' holds U+FFFD, which stands for a lost character: several names would become one");
        }
        Timeouts.check("connectTimeout", builder.connectTimeout);
        Timeouts.check("handshakeTimeout", builder.handshakeTimeout);
        this.endpoints = builder.endpoints;
        this.plain = builder.plain;
        this.token = builder.token;
        this.reconnect = builder.reconnect;
        this.bufferSize = bufferSize;
        this.maxBody = builder.maxBody;
        this.connectTimeout = builder.connectTimeout;
        this.handshakeTimeout = builder.handshakeTimeout;
        this.tls = builder.tls;
        this.onEvent = builder.onEvent;
    }

    List<Endpoint> endpoints() {
        return endpoints;
    }

    boolean plain() {
        return plain;
    }

    Token token() {
        return token;
    }

    /**
     * Whether a token may go over this connection: without TLS it stays within the host.
     *
     * @throws RelayUnsuitableException it would be on a link for others to read
     */
    void checkSecrecy(Endpoint endpoint, SocketChannel channel) throws IOException {
        boolean withinHost = !(channel.getRemoteAddress() instanceof InetSocketAddress inet)
                || inet.getAddress().isLoopbackAddress();
        if (!token.isNone() && tls == null && !withinHost) {
            throw new RelayUnsuitableException(
                    "the token is not sent to " + endpoint + " in the clear: it would be for others to read");
        }
    }

    ReconnectPolicy reconnect() {
        return reconnect;
    }

    int bufferSize() {
        return bufferSize;
    }

    int maxBody() {
        return maxBody;
    }

    Duration connectTimeout() {
        return connectTimeout;
    }

    Duration handshakeTimeout() {
        return handshakeTimeout;
    }

    /** Null: without TLS. */
    TlsOptions tls() {
        return tls;
    }

    Consumer<SessionEvent> onEvent() {
        return onEvent;
    }

    /** Collects options. */
    public abstract static sealed class Builder<B extends Builder<B>>
            permits PublisherOptions.Builder, SubscriberOptions.Builder {
        private static final Duration DEFAULT_HANDSHAKE = Duration.ofSeconds(5);

        final List<Endpoint> endpoints;
        boolean plain;
        Token token = Token.NONE;
        ReconnectPolicy reconnect = ReconnectPolicy.endless();
        String name = "";
        int heartbeatMillis;
        int maxBody = FrameLayout.DEFAULT_MAX_BODY;
        Duration connectTimeout = Timeouts.DEFAULT_CONNECT;
        Duration handshakeTimeout = DEFAULT_HANDSHAKE;
        TlsOptions tls;
        Consumer<SessionEvent> onEvent = event -> {};

        Builder(List<Endpoint> endpoints) {
            this.endpoints = endpoints;
        }

        abstract B self();

        /**
         * No HELLO: works with every relay. The relay's silence goes unnoticed; a publisher has no acknowledgements, a
         * subscriber no numbers, so nothing is resumed.
         */
        public B plain() {
            plain = true;
            return self();
        }

        /**
         * Proves to a relay that wants to know who its clients are that this is one of them. Without TLS it is sent within the
         * host only.
         */
        public B token(Token secret) {
            token = Objects.requireNonNull(secret, "secret");
            return self();
        }

        /** What happens when a connection fails or is lost; without this it is tried again for ever. */
        public B reconnect(ReconnectPolicy how) {
            reconnect = Objects.requireNonNull(how, "how");
            return self();
        }

        /** How this client is called in the relay's log; at most 255 bytes of UTF-8. */
        public B name(String clientName) {
            name = clientName;
            return self();
        }

        /** How often the relay is to send PING, 100 ms to an hour, to the millisecond. */
        public B heartbeat(Duration wanted) {
            // For what is too long to be counted in milliseconds, the largest number.
            long millis = TimeUnit.MILLISECONDS.convert(wanted);
            if (millis < Protocol.MIN_HEARTBEAT_MILLIS || millis > Protocol.MAX_HEARTBEAT_MILLIS) {
                throw new IllegalArgumentException("heartbeat of " + millis + " ms is not within "
                        + Protocol.MIN_HEARTBEAT_MILLIS + ".." + Protocol.MAX_HEARTBEAT_MILLIS);
            }
            heartbeatMillis = (int) millis;
            return self();
        }

        /**
         * Longest body in bytes, 1 MiB without this. A publisher takes no longer one, and none over the relay's limit
         * where that is known; a subscriber's connection ends at a longer one.
         */
        public B maxBody(int bytes) {
            maxBody = bytes;
            return self();
        }

        /** Speaks TLS; the relay's ports for it are others than the plain ones. */
        public B tls(TlsOptions options) {
            tls = options;
            return self();
        }

        /** Bound of connecting, with TLS of its handshake too; 5 s without this. */
        public B connectTimeout(Duration timeout) {
            connectTimeout = timeout;
            return self();
        }

        /** Bound of the time from HELLO to WELCOME; 5 s without this. */
        public B handshakeTimeout(Duration timeout) {
            handshakeTimeout = timeout;
            return self();
        }

        /**
         * Is told what happens to the connection, on the thread that owns it: a publisher's own, or the one that polls a
         * subscriber.
         */
        public B onEvent(Consumer<SessionEvent> listener) {
            onEvent = Objects.requireNonNull(listener, "listener");
            return self();
        }
    }
}
