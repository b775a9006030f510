package dev.msgrelay.client;

import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.net.Endpoint;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Settings of a {@link RelayPublisher}. Immutable; checked when built. */
public final class PublisherOptions extends ConnectionOptions {
    /** 1 MiB, and a header more, so that a body of the default limit fits. Several writes of 256 KiB. */
    public static final int DEFAULT_BUFFER = FrameLayout.frameLength(FrameLayout.DEFAULT_MAX_BODY);

    /** 1 GiB: twice that is still an int. */
    public static final int MAX_BUFFER = 1 << 30;

    private final HelloFrame hello;
    private final Duration closeTimeout;
    private final AckListener onAck;

    private PublisherOptions(Builder builder) {
        super(builder, builder.bufferSize());
        hello = builder.hello();
        closeTimeout = builder.closeTimeout;
        onAck = builder.onAck;
        if (bufferSize() < FrameLayout.frameLength(maxBody())) {
            throw new IllegalArgumentException("bufferSize " + bufferSize() + " cannot hold the largest frame of "
                    + FrameLayout.frameLength(maxBody()) + " bytes");
        }
        if (bufferSize() > MAX_BUFFER) {
            throw new IllegalArgumentException("bufferSize " + bufferSize() + " is over " + MAX_BUFFER);
        }
        Timeouts.check("closeTimeout", closeTimeout);
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

    boolean acks() {
        return hello.wants(Features.ACKS);
    }

    /** How far a message must have got before it is forgotten. */
    Level level() {
        return hello.level();
    }

    String name() {
        return hello.name();
    }

    /** Of the first message; 0: behind what the relay has accepted. */
    long firstNumber() {
        return hello.number();
    }

    /** Of the first number; 0: any. */
    long firstEpoch() {
        return hello.epoch();
    }

    Duration closeTimeout() {
        return closeTimeout;
    }

    AckListener onAck() {
        return onAck;
    }

    /** @param number of the first message that follows; 0: where the relay stands, or without acknowledgements */
    ByteBuffer hello(long epoch, long number) {
        HelloFrame.Builder again = HelloFrame.publisher()
                .features(hello.features())
                .heartbeatMillis(hello.heartbeatMillis())
                .name(hello.name())
                .producer(hello.producer())
                .nextNumber(epoch, number)
                .token(token());
        if (hello.wants(Features.LEVELS)) {
            again.level(hello.level());
        }
        return again.build().encode();
    }

    /** Collects options. */
    public static final class Builder extends ConnectionOptions.Builder<Builder> {
        private int bufferSize;
        private boolean acks;
        private Level level = Level.STREAM;
        private ProducerId producer = ProducerId.NONE;
        private long epoch;
        private long firstNumber;
        private Duration closeTimeout = Timeouts.DEFAULT_CLOSE;
        private AckListener onAck = (number, sequence) -> {};

        private Builder(List<Endpoint> endpoints) {
            super(endpoints);
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Keeps every message until the relay has acknowledged it: nothing is lost or taken twice while this publisher
         * lives.
         *
         * @param clientName under which the relay counts; this publisher's own, and not empty
         */
        public Builder acks(String clientName) {
            return acks(clientName, Level.STREAM);
        }

        /**
         * As {@link #acks(String)}, and a message counts as acknowledged, and is forgotten, only once it has got so far.
         * Until then it is kept, so {@link #bufferSize} bounds how much is under way between two forces of a disk. Beyond
         * {@link Level#STREAM} that takes a relay with a journal: the publisher fails where it has none.
         */
        public Builder acks(String clientName, Level until) {
            acks = true;
            name = clientName;
            level = Objects.requireNonNull(until, "until");
            return this;
        }

        /**
         * By which the relay knows the publisher of a name again; with acknowledgements. Without this it is a random
         * one, drawn for these options: then a publisher that is made with others under the same name, in this process or
         * another, is refused for as long as the relay holds the name for the former one. Whoever keeps the id, or these
         * options, goes on under the name; of two at once the newer one goes on, and the older one fails.
         */
        public Builder producer(ProducerId id) {
            producer = id;
            return this;
        }

        /**
         * The number of the first message that will be published, where the caller keeps the numbers; with
         * acknowledgements. Of the messages that follow, those up to what the relay has accepted before are not taken
         * again, and the listener of acknowledgements is told so. Without this, the first message comes behind what the
         * relay has accepted, see {@link RelayPublisher#firstNumber}.
         *
         * @param epochOfNumber of the stream that it was counted in, as {@link SessionEvent.Connected} tells it: a relay
         *     with another stream takes any number; 0: of whatever stream the relay has
         * @param number from 1; 0: behind what the relay has accepted, and only the epoch is said
         */
        public Builder firstNumber(long epochOfNumber, long number) {
            if (number < 0) {
                throw new IllegalArgumentException("first number " + number + " is not within 0.." + Long.MAX_VALUE);
            }
            epoch = epochOfNumber;
            firstNumber = number;
            return this;
        }

        /**
         * Bytes of direct memory for what is accepted and not yet sent, with acknowledgements not yet acknowledged: at
         * least one largest frame. Without this 1 MiB, or as much as one largest frame needs.
         */
        public Builder bufferSize(int bytes) {
            bufferSize = bytes;
            return this;
        }

        /**
         * Bound of {@link RelayPublisher#close}: sending what is left, and waiting for the relay's last word; 5 s without
         * this.
         */
        public Builder closeTimeout(Duration timeout) {
            closeTimeout = timeout;
            return this;
        }

        /** Is told what was acknowledged, on the publisher's own thread: what it does holds up sending. */
        public Builder onAck(AckListener listener) {
            onAck = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** @throws IllegalArgumentException naming the option and the limit that it breaks */
        public PublisherOptions build() {
            if (plain && (acks || heartbeatMillis != 0 || !name.isEmpty() || !token.isNone())) {
                throw new IllegalArgumentException(
                        "the plain mode has no name, token, acknowledgements and heartbeat: these go with HELLO");
            }
            if (!acks && (firstNumber != 0 || !producer.isNone())) {
                throw new IllegalArgumentException("a first number and a producer id go with acknowledgements");
            }
            return new PublisherOptions(this);
        }

        private int bufferSize() {
            int needed = FrameLayout.frameLength(Math.min(Math.max(maxBody, 0), FrameLayout.MAX_MAX_BODY));
            return bufferSize != 0 ? bufferSize : Math.max(DEFAULT_BUFFER, needed);
        }

        private HelloFrame hello() {
            HelloFrame.Builder hello = HelloFrame.publisher()
                    .features(acks ? Features.ACKS : 0)
                    .heartbeatMillis(heartbeatMillis)
                    .name(name)
                    .producer(acks && producer.isNone() ? ProducerId.random() : producer)
                    .nextNumber(epoch, firstNumber);
            if (level != Level.STREAM) {
                hello.level(level);
            }
            return hello.build();
        }
    }
}
