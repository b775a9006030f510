package dev.msgrelay.client;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.protocol.text.WholeFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Settings of a {@link RelayPublisher}. Immutable; checked when built.
 *
 * <pre>{@code
 * PublisherOptions options = PublisherOptions.builder("127.0.0.1:7401")
 *         .acks("orders", Level.FORCED)              // kept until the relay has it on its disk
 *         .bufferSize(16 << 20)
 *         .onEvent(event -> System.err.println(event.text()))
 *         .build();
 * }</pre>
 */
public final class PublisherOptions extends ConnectionOptions {
    /**
     * Default of the buffer: 1 MiB and a header, so that a body of the default limit fits. Several writes of 256 KiB.
     */
    public static final int DEFAULT_BUFFER = FrameLayout.frameLength(FrameLayout.DEFAULT_MAX_BODY);

    /** Largest buffer, 1 GiB: twice that size still fits an int. */
    public static final int MAX_BUFFER = 1 << 30;

    private final HelloFrame hello;
    private final Epochs epochs;
    private final Duration closeTimeout;
    private final AckListener onAck;

    private PublisherOptions(Builder builder) {
        super(builder, builder.bufferSize());
        hello = builder.hello();
        epochs = builder.epochs;
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
     * Options with one endpoint or several, which are tried in turn. Defaults: HELLO without acknowledgements, the
     * relay's heartbeat, and endless reconnecting.
     */
    public static Builder builder(Endpoint... endpoints) {
        return new Builder(List.of(endpoints));
    }

    /**
     * As {@link #builder(Endpoint...)}, each as text: {@code HOST:PORT}, or {@code unix:PATH}.
     *
     * @throws IllegalArgumentException a text is no endpoint; the message says why
     */
    public static Builder builder(String endpoint, String... more) {
        return new Builder(parse(endpoint, more));
    }

    /** As {@link #builder(Endpoint...)}. */
    public static Builder builder(List<Endpoint> endpoints) {
        return new Builder(List.copyOf(endpoints));
    }

    boolean acks() {
        return hello.wants(Features.ACKS);
    }

    /** Whether the relay confirms what it has read: with HELLO, and without acknowledgements. */
    boolean confirms() {
        return !plain() && !acks();
    }

    /** The level at which a message counts as acknowledged, and is forgotten. */
    Level level() {
        return hello.level();
    }

    String name() {
        return hello.name();
    }

    /** Number of the first message; 0: the one after the last that the relay has accepted. */
    long firstNumber() {
        return hello.number();
    }

    /** Epoch of the first number; 0: any. */
    long firstEpoch() {
        return hello.epoch();
    }

    /** Lives of the stream of that epoch, it and older ones. */
    Epochs firstEpochs() {
        return epochs;
    }

    Duration closeTimeout() {
        return closeTimeout;
    }

    AckListener onAck() {
        return onAck;
    }

    /**
     * @param token for this connection
     * @param number number of the first message that follows; 0: the one after the last that the relay has accepted, or
     *     no acknowledgements
     */
    ByteBuffer hello(Token token, long epoch, long number) {
        HelloFrame.Builder again = HelloFrame.publisher()
                .features(hello.features())
                .heartbeatMillis(hello.heartbeatMillis())
                .name(hello.name())
                .producer(hello.producer())
                .nextNumber(epoch, number)
                .token(token);
        if (hello.wants(Features.LEVELS)) {
            again.level(hello.level());
        }
        return again.build().encode();
    }

    /** Collects options. */
    public static final class Builder extends ConnectionOptions.Builder<Builder> {
        private static final int MOST_BYTES_OF_ID = 1 << 10;

        private int bufferSize;
        private boolean acks;
        private Level level = Level.STREAM;
        private ProducerId producer = ProducerId.NONE;
        private long epoch;
        private long firstNumber;
        private Epochs epochs = Epochs.NONE;
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
         * Keeps every message until the relay has acknowledged it: no message is lost or published twice while this
         * publisher lives.
         *
         * @param clientName name under which the relay counts the messages; not empty, and used by this publisher alone
         */
        public Builder acks(String clientName) {
            return acks(clientName, Level.STREAM);
        }

        /**
         * As {@link #acks(String)}, and a message counts as acknowledged, and is forgotten, only once it has reached
         * the level {@code until}. So {@link #bufferSize} limits the bytes under way between two forces of a disk. A
         * level beyond {@link Level#STREAM} needs a relay with a journal: without one, the publisher fails.
         */
        public Builder acks(String clientName, Level until) {
            acks = true;
            name = clientName;
            level = Objects.requireNonNull(until, "until");
            return this;
        }

        /**
         * The id by which the relay recognises the publisher of a name; with acknowledgements. By default it is random,
         * drawn for these options. Another id under the same name, in this process or another, is refused while the
         * relay holds the name for the former publisher. The same id, or these options again, continues under the name;
         * of two publishers at the same time, the newer one continues, and the older one fails.
         */
        public Builder producer(ProducerId id) {
            producer = id;
            return this;
        }

        /**
         * As {@link #producer(ProducerId)}; the id is kept in a file, as 32 hexadecimal digits and a line end. A file
         * that is not there is made, with a random id, for its owner alone. So the next run of a program has its name
         * at once, and continues under it.
         *
         * @throws IllegalArgumentException the file has anything else
         * @throws IOException the file cannot be read or written
         */
        public Builder producerFile(Path file) throws IOException {
            try {
                return producer(
                        ProducerId.parse(TextFile.read(file, MOST_BYTES_OF_ID).stripTrailing()));
            } catch (NoSuchFileException e) {
                ProducerId made = ProducerId.random();
                WholeFile.replace(file, (made.hex() + "\n").getBytes(StandardCharsets.US_ASCII));
                return producer(made);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
            }
        }

        /**
         * The number of the first message that will be published, for a caller that keeps the numbers itself; with
         * acknowledgements. Messages up to the last number that the relay has accepted before are not published again,
         * and the listener of acknowledgements is told so. By default the first message gets the number after the last
         * that the relay has accepted, see {@link RelayPublisher#firstNumber}.
         *
         * @param epochOfNumber epoch of the stream in which the number was counted, from {@link
         *     SessionEvent.Connected}: a relay with another stream takes any number; 0: any stream
         * @param number from 1; 0: the number after the last that the relay has accepted; only the epoch is sent
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
         * The lives of the stream of {@link #firstNumber}'s epoch, from the same {@link SessionEvent.Connected}: a
         * relay that does not know this epoch, such as behind an older backup, may know an older one, and then what it
         * has of the name. By default none, and its stream is another one then.
         */
        public Builder epochs(Epochs known) {
            epochs = Objects.requireNonNull(known, "known");
            return this;
        }

        /**
         * Bytes of direct memory for messages that are accepted and not yet sent, or with acknowledgements not yet
         * acknowledged; at least the longest frame. By default 1 MiB, or the longest frame if that is longer.
         */
        public Builder bufferSize(int bytes) {
            bufferSize = bytes;
            return this;
        }

        /**
         * Limit on the time of {@link RelayPublisher#close}: to send the rest, and to wait until the relay has
         * acknowledged or confirmed it; 5 s by default.
         */
        public Builder closeTimeout(Duration timeout) {
            closeTimeout = timeout;
            return this;
        }

        /** A listener for acknowledgements. Called on the publisher's own thread: a slow listener holds up sending. */
        public Builder onAck(AckListener listener) {
            onAck = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** @throws IllegalArgumentException an option breaks a limit; the message names both */
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
                    .features(Features.PEER | (acks ? Features.ACKS | Features.EPOCHS : 0))
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
