package dev.msgrelay.client;

import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Settings of a {@link ReconnectingPublisher}. Immutable; checked when built. */
public final class PublisherOptions {
    private final LinkOptions link;
    private final PublisherConfig connection;
    private final HelloFrame hello;
    private final AckListener onAck;

    private PublisherOptions(Builder builder) {
        link = new LinkOptions(
                builder.endpoints, builder.plain, builder.handshakeTimeout, builder.reconnect, builder.onEvent);
        connection = builder.connection;
        hello = builder.hello();
        onAck = builder.onAck;
    }

    /**
     * Options with one endpoint or several, which are tried in turn. Without more: HELLO without acknowledgements, the
     * relay's heartbeat, and endless reconnecting.
     */
    public static Builder builder(Endpoint... endpoints) {
        return new Builder(List.of(endpoints));
    }

    /** As {@link #builder(Endpoint...)}. */
    public static Builder builder(List<Endpoint> endpoints) {
        return new Builder(List.copyOf(endpoints));
    }

    LinkOptions link() {
        return link;
    }

    PublisherConfig connection() {
        return connection;
    }

    boolean acks() {
        return hello.wants(Features.ACKS);
    }

    String name() {
        return hello.name();
    }

    AckListener onAck() {
        return onAck;
    }

    /** @param number of the first message that follows; 0: where the relay stands, or without acknowledgements */
    ByteBuffer hello(long epoch, long number) {
        return HelloFrame.publisher()
                .features(hello.features())
                .heartbeatMillis(hello.heartbeatMillis())
                .name(hello.name())
                .nextNumber(epoch, number)
                .build()
                .encode();
    }

    /** Collects options. */
    public static final class Builder {
        private final List<Endpoint> endpoints;
        private PublisherConfig connection = PublisherConfig.defaults();
        private Duration handshakeTimeout = LinkOptions.DEFAULT_HANDSHAKE;
        private ReconnectPolicy reconnect = ReconnectPolicy.endless();
        private boolean plain;
        private boolean acks;
        private String name = "";
        private int heartbeatMillis;
        private AckListener onAck = (number, sequence) -> {};
        private Consumer<SessionEvent> onEvent = event -> {};

        private Builder(List<Endpoint> endpoints) {
            this.endpoints = endpoints;
        }

        /** How this publisher is called in the relay's log; at most 255 bytes of UTF-8. */
        public Builder name(String clientName) {
            name = clientName;
            return this;
        }

        /**
         * Keeps every message until the relay has acknowledged it: nothing is lost or taken twice while this publisher
         * lives.
         *
         * @param clientName under which the relay counts this publisher's messages: it must be its own, and not empty
         */
        public Builder acks(String clientName) {
            acks = true;
            name = clientName;
            return this;
        }

        /** How often the relay is to send PING, 100 ms to an hour, to the millisecond. */
        public Builder heartbeat(Duration wanted) {
            heartbeatMillis = LinkOptions.heartbeatMillis(wanted);
            return this;
        }

        /** No HELLO: works with every relay, without acknowledgements; the relay's silence goes unnoticed. */
        public Builder plain() {
            plain = true;
            return this;
        }

        public Builder reconnect(ReconnectPolicy how) {
            reconnect = how;
            return this;
        }

        /**
         * Buffer, limit of bodies, and the bounds of connecting and closing. With acknowledgements the buffer holds what
         * is not acknowledged.
         */
        public Builder connection(PublisherConfig settings) {
            connection = settings;
            return this;
        }

        /** Bound of the time from HELLO to WELCOME; 5 s without this. */
        public Builder handshakeTimeout(Duration timeout) {
            handshakeTimeout = timeout;
            return this;
        }

        /** Is told what was acknowledged, on the publisher's own thread: what it does holds up sending. */
        public Builder onAck(AckListener listener) {
            onAck = listener;
            return this;
        }

        /** Is told what happens to the connection, on the publisher's own thread. */
        public Builder onEvent(Consumer<SessionEvent> listener) {
            onEvent = listener;
            return this;
        }

        /** @throws IllegalArgumentException naming the option and the limit that it breaks */
        public PublisherOptions build() {
            if (plain && (acks || heartbeatMillis != 0 || !name.isEmpty())) {
                throw new IllegalArgumentException(
                        "the plain mode has no name, acknowledgements and heartbeat: these go with HELLO");
            }
            return new PublisherOptions(this);
        }

        private HelloFrame hello() {
            return HelloFrame.publisher()
                    .features(acks ? Features.ACKS : 0)
                    .heartbeatMillis(heartbeatMillis)
                    .name(name)
                    .build();
        }
    }
}
