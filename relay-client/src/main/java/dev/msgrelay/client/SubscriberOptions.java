package dev.msgrelay.client;

import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of a {@link RelaySubscriber}. Immutable; checked when built.
 *
 * <pre>{@code
 * SubscriberOptions options = SubscriberOptions.builder("127.0.0.1:7400")
 *         .name("screen")
 *         .types(TypeRanges.of(1, 9))
 *         .policy(Policy.SKIP)                       // rather miss messages than be late
 *         .onGap(gap -> System.err.println(gap.text()))
 *         .build();
 * }</pre>
 */
public final class SubscriberOptions extends ConnectionOptions {
    private static final Logger LOG = LoggerFactory.getLogger(Gap.class);

    private final HelloFrame hello;
    private final Consumer<Gap> onGap;
    private final PositionStore positions;
    private final Duration saveEvery;
    private final boolean retriesHandler;
    private final StateView view;

    private SubscriberOptions(Builder builder) {
        super(builder, builder.bufferSize);
        hello = builder.hello();
        onGap = builder.onGap;
        positions = builder.positions;
        saveEvery = builder.saveEvery;
        retriesHandler = builder.retriesHandler;
        view = builder.view;
        if (bufferSize() < FrameLayout.HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    "bufferSize " + bufferSize() + " is under a frame's header of " + FrameLayout.HEADER_LENGTH);
        }
    }

    /**
     * Options with one endpoint or several, which are tried in turn. Defaults: HELLO, every type, new messages only,
     * the relay's policy and heartbeat, and endless reconnecting.
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

    /** The program's listener; where it takes no gaps, a log for one client. */
    Consumer<Gap> onGap() {
        return onGap == null ? new GapLog(LOG::warn, System::nanoTime) : onGap;
    }

    /** The store of the position; empty: it is not kept. */
    Optional<PositionStore> positions() {
        return Optional.ofNullable(positions);
    }

    Duration saveEvery() {
        return saveEvery;
    }

    /** The view that is kept up to date; empty: the program keeps none. */
    Optional<StateView> view() {
        return Optional.ofNullable(view);
    }

    /** Whether the newest message of each type comes first. */
    boolean fromState() {
        return hello.start() == StartFrom.STATE;
    }

    /** What the first HELLO asks for that relays older than the state refuse, in words; empty: nothing. */
    Optional<String> newerThanSome() {
        if (fromState()) {
            return Optional.of("start = state");
        }
        return hello.policy() == Policy.LATEST ? Optional.of("the policy latest") : Optional.empty();
    }

    boolean retriesHandler() {
        return retriesHandler;
    }

    TypeRanges types() {
        return hello.types();
    }

    /** The level that a message must have reached before it is sent. */
    Level level() {
        return hello.level();
    }

    long epoch() {
        return hello.epoch();
    }

    /** The first sequence wanted; 0: the relay chooses. */
    long sequence() {
        return hello.start() == StartFrom.SEQUENCE || fromState() ? hello.number() : 0;
    }

    /** A HELLO with these types; {@code next} above 0: resumes there, with the state if that is the start. */
    HelloFrame hello(Token token, TypeRanges types, long epoch, long next) {
        HelloFrame.Builder again = HelloFrame.subscriber()
                .policy(hello.policy())
                .heartbeatMillis(hello.heartbeatMillis())
                .features(hello.features())
                .name(hello.name())
                .token(token)
                .types(types);
        if (hello.wants(Features.LEVELS)) {
            again.level(hello.level());
        }
        if (hello.wants(Features.INTERVAL)) {
            again.intervalMillis(hello.intervalMillis());
        }
        if (fromState()) {
            again.fromState(epoch, next);
        } else if (next > 0) {
            again.fromSequence(epoch, next);
        } else if (hello.start() == StartFrom.EARLIEST) {
            again.fromEarliest();
        } else if (hello.start() == StartFrom.TIME) {
            again.fromTime(hello.number());
        }
        return again.build();
    }

    /** Collects options. */
    public static final class Builder extends ConnectionOptions.Builder<Builder> {
        private static final Instant FIRST_TIME = Instant.ofEpochMilli(1);
        private static final Instant LAST_TIME = Instant.ofEpochMilli(Long.MAX_VALUE);

        private int bufferSize = FrameReader.DEFAULT_BUFFER;
        private StartFrom start = StartFrom.LIVE;
        private long epoch;
        private long sequence;
        private Instant time;
        private TypeRanges types = TypeRanges.ALL;
        private Policy policy = Policy.RELAY_DEFAULT;
        // 0: none.
        private int intervalMillis;
        private Level level = Level.STREAM;
        private Consumer<Gap> onGap;
        private PositionStore positions;
        private Duration saveEvery = Duration.ofSeconds(1);
        private boolean retriesHandler;
        private StateView view;

        private Builder(List<Endpoint> endpoints) {
            super(endpoints);
        }

        @Override
        Builder self() {
            return this;
        }

        /** The types wanted at the start. */
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
         * Starts with message {@code first}.
         *
         * @param epochOfSequence epoch of the stream that the number belongs to, from {@link RelaySubscriber#epoch}; 0:
         *     any stream
         * @param first from 1
         */
        public Builder fromSequence(long epochOfSequence, long first) {
            start = StartFrom.SEQUENCE;
            epoch = epochOfSequence;
            sequence = first;
            return this;
        }

        /**
         * Starts with the first message that was written to the relay's journal at this time or later, or with a few
         * messages that were written together with it; with new messages if there is none. A relay without a journal
         * refuses this start.
         *
         * @param first a time after 1970
         */
        public Builder fromTime(Instant first) {
            if (first.compareTo(FIRST_TIME) < 0 || first.compareTo(LAST_TIME) > 0) {
                throw new IllegalArgumentException(
                        "first time " + first + " is not within " + FIRST_TIME + ".." + LAST_TIME);
            }
            start = StartFrom.TIME;
            time = first;
            return this;
        }

        /**
         * Starts with the newest message of each type, in the order of their numbers; then comes the stream from the
         * exact next message. What lies between is a {@link Gap} that is no loss. {@link SessionEvent.StateComplete}
         * tells that the state is there. After a lost connection only what has changed meanwhile comes. It needs a
         * relay with {@code --state}.
         */
        public Builder fromState() {
            return fromState(0, 0);
        }

        /**
         * As {@link #fromState()}, for a program that has kept what it knew: only what has changed since comes.
         *
         * <p>Both belong to a complete state: they are taken at {@link SessionEvent.StateComplete} or later, and not
         * between a {@link GapReason#SUPERSEDED} gap and the next of these events. Of a state that was cut a part may
         * be gone in the relay's next life, and the number does not tell. {@link #positions} keeps such a place itself.
         *
         * @param epochOfNumber epoch of the stream that the number belongs to, from {@link RelaySubscriber#epoch}
         * @param first the first message that it has not had, from {@link RelaySubscriber#next}; 0 or 1: it has had
         *     none
         */
        public Builder fromState(long epochOfNumber, long first) {
            start = StartFrom.STATE;
            epoch = epochOfNumber;
            sequence = first;
            return this;
        }

        /**
         * A view that the subscriber keeps up to date, beside the handler. It begins with the whole state, so it goes
         * with {@link #fromState()}, and not with {@link #positions}.
         */
        public Builder view(StateView kept) {
            view = Objects.requireNonNull(kept, "kept");
            return this;
        }

        /** The policy wanted for a subscriber that reads too slowly; the relay may grant another one, see WELCOME. */
        public Builder policy(Policy wanted) {
            policy = Objects.requireNonNull(wanted, "wanted");
            return this;
        }

        /**
         * Gets the newest message of each type that has changed, once in each interval, and nothing between: for a
         * screen, or for a link that should not carry every change. At the beginning it gets what it has not had; the
         * messages passed over are {@link Gap}s that are no loss. Asks for {@link Policy#LATEST}, so it needs what that
         * policy needs, a relay with {@code --state}; no other policy goes with it.
         *
         * <p>The relay may grant a longer interval, or decline it: {@link SessionEvent.Connected} has the granted one,
         * and without one messages come as with that policy alone.
         *
         * @param wanted 10 ms to an hour, in milliseconds
         * @throws IllegalArgumentException it is outside of these
         */
        public Builder interval(Duration wanted) {
            intervalMillis = millis("interval", wanted, Protocol.MIN_INTERVAL_MILLIS, Protocol.MAX_INTERVAL_MILLIS);
            return this;
        }

        /**
         * Gets a message only once it has reached the level {@code least}, so no message is taken back after an end
         * that this level survives. The message comes later than to others, by a write or a force of the relay's
         * journal. A level beyond {@link Level#STREAM} needs a relay with a journal: without one, the subscriber fails.
         */
        public Builder durableOnly(Level least) {
            level = Objects.requireNonNull(least, "least");
            return this;
        }

        /** Bytes of direct memory that one read fills at most; 256 KiB by default. Grows for a larger frame. */
        public Builder bufferSize(int bytes) {
            bufferSize = bytes;
            return this;
        }

        /**
         * Handles every message at least once: the position is kept in the store, and moves on only after the handler
         * has returned. The next subscriber with this store goes on there, wherever else its options start; after a
         * crash the messages of about the last second come again. The position is saved about once a second while it
         * moves, and on {@link RelaySubscriber#close}.
         *
         * <p>With {@link #fromState()} the next subscriber gets the newest message of each type that has changed since
         * that position. It moves only while the state is complete and no message is passed over for a newer one that
         * may not have come; what came behind it comes again.
         *
         * <p>A handler that throws ends the subscriber, and its message comes again at the next start; or right away,
         * see {@link #retryHandler}.
         */
        public Builder positions(PositionStore store) {
            positions = Objects.requireNonNull(store, "store");
            return this;
        }

        /**
         * As {@link #positions(PositionStore)}, and the position is saved at most once in this time, up to a day; zero:
         * after every read that brought messages. Nothing is handed over meanwhile: a save into a file waits for the
         * disk.
         */
        public Builder positions(PositionStore store, Duration every) {
            if (!every.isZero()) {
                Timeouts.check("every", every);
            }
            saveEvery = every;
            return positions(store);
        }

        /**
         * A handler that throws gets its message again, over another connection, as often and after such waits as the
         * {@link ReconnectPolicy} says: {@link SessionEvent.Lost} tells of each time. An {@link Error} is not caught.
         * By default the exception comes out of {@link RelaySubscriber#poll}.
         */
        public Builder retryHandler() {
            retriesHandler = true;
            return this;
        }

        /**
         * A listener for gaps. Called on the thread that polls, in the gap's place between the messages. By default
         * gaps are logged as warnings, at most one line in ten seconds.
         */
        public Builder onGap(Consumer<Gap> listener) {
            onGap = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** @throws IllegalArgumentException an option breaks a limit; the message names both */
        public SubscriberOptions build() {
            boolean asks = start != StartFrom.LIVE
                    || !types.isAll()
                    || policy != Policy.RELAY_DEFAULT
                    || intervalMillis != 0
                    || level != Level.STREAM
                    || heartbeatMillis != 0
                    || !name.isEmpty()
                    || !token.isNone();
            if (plain && (positions != null || retriesHandler)) {
                throw new IllegalArgumentException(
                        "the plain mode has no numbers, so no position can be kept, and no message comes again");
            }
            if (view != null && (start != StartFrom.STATE || sequence > 1 || positions != null)) {
                throw new IllegalArgumentException(
                        "a view begins with the whole state: fromState(), without a number and without positions");
            }
            if (plain && asks) {
                throw new IllegalArgumentException(
                        "the plain mode has no name, token, types, start, policy, interval, level and heartbeat: these go with"
                                + " HELLO");
            }
            if (intervalMillis != 0 && policy != Policy.RELAY_DEFAULT && policy != Policy.LATEST) {
                throw new IllegalArgumentException(
                        "interval of " + intervalMillis + " ms needs the policy latest, not " + policy.flag());
            }
            return new SubscriberOptions(this);
        }

        private HelloFrame hello() {
            // Features that every HELLO asks for: the types may be changed later, the features may not.
            HelloFrame.Builder hello = HelloFrame.subscriber()
                    .policy(policy)
                    .heartbeatMillis(heartbeatMillis)
                    .features(Features.SEQUENCES | Features.NARROWED | Features.EPOCHS | Features.PEER)
                    .name(name)
                    .types(types);
            if (level != Level.STREAM) {
                hello.level(level);
            }
            if (intervalMillis != 0) {
                hello.policy(Policy.LATEST).intervalMillis(intervalMillis);
            }
            if (start == StartFrom.SEQUENCE) {
                hello.fromSequence(epoch, sequence);
            } else if (start == StartFrom.EARLIEST) {
                hello.fromEarliest();
            } else if (start == StartFrom.TIME) {
                hello.fromTime(time.toEpochMilli());
            } else if (start == StartFrom.STATE) {
                hello.fromState(epoch, sequence);
            }
            return hello.build();
        }
    }
}
