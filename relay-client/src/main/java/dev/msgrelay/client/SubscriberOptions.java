package dev.msgrelay.client;

import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Settings of a {@link ReconnectingSubscriber}. Immutable; checked when built. */
public final class SubscriberOptions {
    private final LinkOptions link;
    private final SubscriberConfig connection;
    private final HelloFrame hello;
    private final Consumer<Gap> onGap;

    private SubscriberOptions(Builder builder) {
        link = new LinkOptions(
                builder.endpoints, builder.plain, builder.handshakeTimeout, builder.reconnect, builder.onEvent);
        connection = builder.connection;
        hello = builder.hello();
        onGap = builder.onGap;
    }

    /**
     * Options with one endpoint or several, which are tried in turn. Without more: HELLO, every type, from now on, the
     * relay's policy and heartbeat, and endless reconnecting.
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

    SubscriberConfig connection() {
        return connection;
    }

    Consumer<Gap> onGap() {
        return onGap;
    }

    TypeRanges types() {
        return hello.types();
    }

    long epoch() {
        return hello.epoch();
    }

    /** The first sequence wanted; 0: where the relay starts. */
    long sequence() {
        return hello.number();
    }

    /** A HELLO with these types. {@code next} above 0: that resumes there. */
    HelloFrame hello(TypeRanges types, long epoch, long next) {
        HelloFrame.Builder again = HelloFrame.subscriber()
                .policy(hello.policy())
                .heartbeatMillis(hello.heartbeatMillis())
                .features(hello.features())
                .name(hello.name())
                .types(types);
        if (next > 0) {
            again.fromSequence(epoch, next);
        } else if (hello.start() == StartFrom.EARLIEST) {
            again.fromEarliest();
        }
        return again.build();
    }

    /** Collects options. */
    public static final class Builder {
        private final List<Endpoint> endpoints;
        private SubscriberConfig connection = SubscriberConfig.defaults();
        private Duration handshakeTimeout = LinkOptions.DEFAULT_HANDSHAKE;
        private ReconnectPolicy reconnect = ReconnectPolicy.endless();
        private boolean plain;
        private StartFrom start = StartFrom.LIVE;
        private long epoch;
        private long sequence;
        private String name = "";
        private TypeRanges types = TypeRanges.ALL;
        private Policy policy = Policy.RELAY_DEFAULT;
        private int heartbeatMillis;
        private Consumer<Gap> onGap = gap -> {};
        private Consumer<SessionEvent> onEvent = event -> {};

        private Builder(List<Endpoint> endpoints) {
            this.endpoints = endpoints;
        }

        /** How this subscriber is called in the relay's log; at most 255 bytes of UTF-8. */
        public Builder name(String clientName) {
            name = clientName;
            return this;
        }

        /** The types of messages wanted to begin with. */
        public Builder types(TypeRanges wanted) {
            types = wanted;
            return this;
        }

        /** Starts with the oldest message that the relay holds. */
        public Builder fromEarliest() {
            start = StartFrom.EARLIEST;
            return this;
        }

        /**
         * Starts with this message.
         *
         * @param epochOfSequence of the stream that it is a number of, as {@link ReconnectingSubscriber#epoch} tells it;
         *     0: of whatever stream the relay has
         * @param first from 1
         */
        public Builder fromSequence(long epochOfSequence, long first) {
            start = StartFrom.SEQUENCE;
            epoch = epochOfSequence;
            sequence = first;
            return this;
        }

        /** What the relay is to do when this subscriber reads too slowly; it may grant another policy, see WELCOME. */
        public Builder policy(Policy wanted) {
            policy = wanted;
            return this;
        }

        /** How often the relay is to send PING, 100 ms to an hour, to the millisecond. */
        public Builder heartbeat(Duration wanted) {
            heartbeatMillis = LinkOptions.heartbeatMillis(wanted);
            return this;
        }

        /**
         * No HELLO: works with every relay. There are no numbers, so nothing is resumed, and the relay's silence goes
         * unnoticed.
         */
        public Builder plain() {
            plain = true;
            return this;
        }

        public Builder reconnect(ReconnectPolicy how) {
            reconnect = how;
            return this;
        }

        /** Buffer, limit of bodies, and the bound of connecting. */
        public Builder connection(SubscriberConfig settings) {
            connection = settings;
            return this;
        }

        /** Bound of the time from HELLO to WELCOME; 5 s without this. */
        public Builder handshakeTimeout(Duration timeout) {
            handshakeTimeout = timeout;
            return this;
        }

        /** Is told every gap, on the thread that polls, in its place between the messages. */
        public Builder onGap(Consumer<Gap> listener) {
            onGap = listener;
            return this;
        }

        /** Is told what happens to the connection, on the thread that polls. */
        public Builder onEvent(Consumer<SessionEvent> listener) {
            onEvent = listener;
            return this;
        }

        /** @throws IllegalArgumentException naming the option and the limit that it breaks */
        public SubscriberOptions build() {
            boolean asks = start != StartFrom.LIVE
                    || !types.isAll()
                    || policy != Policy.RELAY_DEFAULT
                    || heartbeatMillis != 0
                    || !name.isEmpty();
            if (plain && asks) {
                throw new IllegalArgumentException(
                        "the plain mode has no name, types, start, policy and heartbeat: these go with HELLO");
            }
            return new SubscriberOptions(this);
        }

        private HelloFrame hello() {
            // SEQUENCES always: the types may be changed later, the features not.
            HelloFrame.Builder hello = HelloFrame.subscriber()
                    .policy(policy)
                    .heartbeatMillis(heartbeatMillis)
                    .features(Features.SEQUENCES)
                    .name(name)
                    .types(types);
            if (start == StartFrom.SEQUENCE) {
                hello.fromSequence(epoch, sequence);
            } else if (start == StartFrom.EARLIEST) {
                hello.fromEarliest();
            }
            return hello.build();
        }
    }
}
