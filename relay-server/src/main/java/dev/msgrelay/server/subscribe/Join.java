package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.stream.Mark;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The requests of a subscriber and the relay's decisions: its types; and the start, policy and durability of its
 * stream.
 *
 * <pre>
 *   HELLO --greeted--> seekStart, until the start is found --> admit --> WELCOME
 *                        '--> WAIT: not in the stream yet, or no memory;  IN_JOURNAL: go to its loop
 *   SUBSCRIBE --wantTypes--> chooseTypes, between two frames
 * </pre>
 *
 * <p>Owned by the subscriber's thread, except where a method says otherwise.
 */
final class Join {
    /** Longest wait for a turn to start in the journal, or for memory there: clients give up 5 s after HELLO. */
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Bytes of the Java heap of a set of ranges, without the ranges. */
    private static final int RANGES_BYTES = 64;

    private final FanoutParts shared;
    private final Services services;
    private final Session session;
    private final Rights rights;
    private final SlowReader slowness;

    private final Pool memory;
    private volatile TypeRanges types = TypeRanges.ALL;
    private long typesBytes;
    private TypeRanges wanted = TypeRanges.ALL;
    private long wantedBytes;
    private boolean sequences;
    // A subscriber that asks for all types gets those that access allows; a plain one always does.
    private boolean narrows = true;

    // The HELLO that WELCOME has not answered yet, and what was decided for it.
    private HelloFrame hello;
    private long helloNanos;
    private boolean hasTurn;
    private Policy policy;
    private long fork;
    // STREAM: the subscriber gets messages before they are durable.
    private Level durable = Level.STREAM;

    Join(FanoutParts shared, Services services, Session session, SlowReader slowness) {
        this.shared = shared;
        this.services = services;
        this.session = session;
        this.rights = session.rights();
        this.slowness = slowness;
        this.memory = services.budget().pool(Part.CONTROL);
    }

    /** Any thread. */
    TypeRanges types() {
        return types;
    }

    /** Replaces the wanted types; throws where access or memory does not allow these. */
    void wantTypes(TypeRanges asked) throws FrameException {
        TypeRanges ranges = rights.grant(asked, narrows);
        long needed = ranges.isAll() ? 0 : RANGES_BYTES + (long) ranges.count() * TypeRanges.RANGE_LENGTH;
        long most = services.limits().controlBytesPerConnection();
        memory.giveBack(wantedBytes);
        wantedBytes = 0;
        if (typesBytes + needed > most) {
            throw new FrameException(
                    CloseReason.MEMORY_LIMIT,
                    ranges.count() + " ranges of types are " + needed + " bytes, and those that are in force "
                            + typesBytes + ": a client may have " + most);
        }
        if (!memory.tryTake(needed)) {
            throw new FrameException(
                    CloseReason.MEMORY_LIMIT,
                    ranges.count() + " ranges of types are " + needed
                            + " bytes too many: clients' ranges and control frames take " + memory.used() + " of "
                            + memory.limit() + " bytes");
        }
        wantedBytes = needed;
        wanted = ranges;
    }

    /** Sends the wanted types from here on; between two frames of the stream. */
    void chooseTypes(Delivery delivery) {
        types = wanted;
        if (wantedBytes > 0 || wanted.isAll()) {
            memory.giveBack(typesBytes);
            typesBytes = wantedBytes;
            wantedBytes = 0;
        }
        delivery.choose(types, sequences);
    }

    void greeted(HelloFrame said) throws FrameException {
        narrows = said.wants(Features.NARROWED);
        wantTypes(said.types());
        hello = said;
        helloNanos = now();
    }

    /**
     * Moves the stream, which is between two frames, to its start; the caller repeats it until the start is found.
     *
     * @throws FrameException there is no such start, or it has not come in time
     */
    CatchUp.Seek seekStart(Delivery delivery, Mark head) throws FrameException {
        if (hasReadAhead(head)) {
            awaitStart(head);
            return CatchUp.Seek.WAIT;
        }
        boolean replayed = shared.replays().isPresent();
        // Read once more: while this thread had no processor, the writer may have gone round the whole log.
        shared.log().head().read(head);
        CatchUp.Start start = start(head, replayed);
        // Not earlier: until here the plain policy allowed lags that would cut the subscriber off now.
        policy = services.clients().grant(hello.policy(), replayed);
        slowness.change(policy);
        Level level = session.dialogue().level().orElse(Level.STREAM);
        if (durable == Level.STREAM && level != Level.STREAM) {
            durable = level;
            delivery.durableOnly(shared.durable().addReader(level));
        }
        CatchUp.Seek seek = delivery.seekStart(start, head);
        if (seek == CatchUp.Seek.WAIT && hasWaited()) {
            throw new FrameException(
                    CloseReason.MEMORY_LIMIT,
                    "others who get the journal have all " + services.limits().replayBytes()
                            + " bytes of --replay-size: there was no room to start for "
                            + TimeUnit.NANOSECONDS.toSeconds(MOST_WAIT_NANOS) + " s");
        }
        return seek;
    }

    /** Reads the start in HELLO; throws where there is none. */
    private CatchUp.Start start(Mark head, boolean replayed) throws FrameException {
        boolean resumes = hello.start() == StartFrom.SEQUENCE;
        boolean byTime = hello.start() == StartFrom.TIME;
        if (byTime && !replayed) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    "a start by time takes a journal that is replayed, and this relay has none");
        }
        long forked = services.durability().forkOf(hello);
        boolean known = forked != Durability.UNKNOWN;
        long first = resumes && known ? Math.min(hello.number(), forked) : 1;
        if (first > head.sequence()) {
            throw new FrameException(
                    CloseReason.BAD_START,
                    "sequence " + first + " is beyond the next one of this stream, " + head.sequence());
        }
        // Before the fork the stream is as the subscriber knows it.
        fork = known && (!resumes || first == hello.number()) ? Durability.TODAY : forked;
        return new CatchUp.Start(hello.start(), first, byTime ? hello.number() : 0);
    }

    /** Returns whether the subscriber has got more of the stream from another relay than has come here. */
    private boolean hasReadAhead(Mark head) {
        return shared.elsewhere()
                && hello.start() == StartFrom.SEQUENCE
                && hello.number() > head.sequence()
                && services.durability().forkOf(hello) == Durability.TODAY;
    }

    /** Waits for those messages to come here; throws when the time is up. */
    private void awaitStart(Mark head) throws FrameException {
        Duration most = services.clients().handshakeTimeout();
        if (now() - helloNanos > most.toNanos()) {
            throw new FrameException(
                    CloseReason.HANDSHAKE_TIMEOUT,
                    "sequence " + hello.number() + " has not come to this relay within " + most.toMillis()
                            + " ms: the next one here is " + head.sequence());
        }
    }

    /** Puts the types in force, and welcomes the client, whose stream begins with message {@code first}. */
    void admit(Delivery delivery, long first) {
        sequences = hello.wants(Features.SEQUENCES);
        chooseTypes(delivery);
        // A client that did not offer REPLAY may not decode it; WELCOME then says RELAY_DEFAULT.
        boolean unknown = policy == Policy.REPLAY && hello.policy() != Policy.REPLAY;
        int features = rights.permittedTypes().isAll() ? Features.SEQUENCES : Features.SEQUENCES | Features.NARROWED;
        session.welcome(hello, unknown ? Policy.RELAY_DEFAULT : policy, features, first, 0, fork);
        hello = null;
    }

    void release() {
        if (durable != Level.STREAM) {
            shared.durable().removeReader(durable);
            durable = Level.STREAM;
        }
        memory.giveBack(typesBytes + wantedBytes);
        typesBytes = 0;
        wantedBytes = 0;
    }

    /**
     * Takes this subscriber's turn to start in the journal, if it has come: an address has a number of starts a second.
     * Once taken the turn stays. A start in the log needs none.
     */
    boolean takeTurn() {
        hasTurn = hasTurn || services.admission().mayReplay(session.channel().remoteAddress(), now());
        return hasTurn;
    }

    /** Refuses a subscriber that has waited for its turn in vain. */
    Refusal noTurn() {
        return services.admission().refuseReplay(session.channel().remoteAddress(), now());
    }

    /** Returns whether the subscriber has waited for as long as it may. */
    boolean hasWaited() {
        return now() - helloNanos > MOST_WAIT_NANOS;
    }

    private long now() {
        return services.clock().nanoTime();
    }
}
