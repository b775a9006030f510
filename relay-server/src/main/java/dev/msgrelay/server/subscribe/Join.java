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
 * The requests of a subscriber, and what it gets of them: its types, and from HELLO to WELCOME the start, the policy
 * and the durability of its stream.
 *
 * <pre>
 *   HELLO --greeted--> seekStart, again and again: not here yet? no memory? to the journal? --> admit --> WELCOME
 *   SUBSCRIBE --wantTypes--> chooseTypes, between two frames
 * </pre>
 *
 * <p>Owned by the subscriber's thread, except where a method says otherwise.
 */
final class Join {
    /** Longest wait for a turn to start in the journal, and for memory there: clients give up 5 s after HELLO. */
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Bytes of the Java heap that a set of ranges takes, beside its ranges. */
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
    // A subscriber that asks for every type gets those that access allows; plain ones do.
    private boolean narrows = true;

    // The HELLO that WELCOME has not answered yet, and the answers to it.
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

    // ---- types -------------------------------------------------------------------------------------------------

    /** Returns the types that the subscriber gets. Any thread. */
    TypeRanges types() {
        return types;
    }

    /** Asks for types, and no longer for those that were wanted before. Throws where access or memory allows none. */
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

    /** Sends the types that are wanted from here on, while the stream is between two frames. */
    void chooseTypes(Delivery delivery) {
        types = wanted;
        if (wantedBytes > 0 || wanted.isAll()) {
            memory.giveBack(typesBytes);
            typesBytes = wantedBytes;
            wantedBytes = 0;
        }
        delivery.choose(types, sequences);
    }

    // ---- from HELLO to WELCOME ---------------------------------------------------------------------------------

    /** Takes a HELLO; throws {@link FrameException} where what it asks for is not to be had. */
    void greeted(HelloFrame said) throws FrameException {
        narrows = said.wants(Features.NARROWED);
        wantTypes(said.types());
        hello = said;
        helloNanos = now();
    }

    /**
     * Moves the stream, which is between two frames, to its start; to be called again until that is found.
     *
     * @throws FrameException there is no such start, or it has not come here in time
     */
    CatchUp.Seek seekStart(Delivery delivery, Mark head) throws FrameException {
        if (hasReadAhead(head)) {
            awaitStart(head);
            return CatchUp.Seek.WAIT;
        }
        boolean replayed = shared.replays().isPresent();
        // Anew: while this thread had no core the writer may have gone round the whole log.
        shared.log().head().read(head);
        CatchUp.Start start = start(head, replayed);
        // Not earlier: until here the subscriber was a plain one, and may have skipped what it would be cut off for.
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

    /** Reads the start in HELLO; throws where there is no such place. */
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
        // Before the fork the stream still is as the subscriber knows it.
        fork = known && (!resumes || first == hello.number()) ? Durability.TODAY : forked;
        return new CatchUp.Start(hello.start(), first, byTime ? hello.number() : 0);
    }

    /** Returns whether the subscriber has had more of the stream at another relay than is here yet. */
    private boolean hasReadAhead(Mark head) {
        return shared.elsewhere()
                && hello.start() == StartFrom.SEQUENCE
                && hello.number() > head.sequence()
                && services.durability().forkOf(hello) == Durability.TODAY;
    }

    /** The messages that the subscriber has had come here as well; but it does not wait for ever. */
    private void awaitStart(Mark head) throws FrameException {
        Duration most = services.clients().handshakeTimeout();
        if (now() - helloNanos > most.toNanos()) {
            throw new FrameException(
                    CloseReason.HANDSHAKE_TIMEOUT,
                    "sequence " + hello.number() + " has not come to this relay within " + most.toMillis()
                            + " ms: the next one here is " + head.sequence());
        }
    }

    /** Puts the types in force, and welcomes the client, whose stream begins with the message {@code first}. */
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

    // ---- starts in the journal ---------------------------------------------------------------------------------

    /**
     * Takes the turn of this subscriber to start in the journal, of which its address has a number a second; once taken
     * it stays. A start within the log needs none.
     *
     * @return whether the turn has come
     */
    boolean takeTurn() {
        hasTurn = hasTurn || services.admission().mayReplay(session.channel().remoteAddress(), now());
        return hasTurn;
    }

    /** Returns the refusal of a subscriber whose turn has not come while it has waited. */
    Refusal noTurn() {
        return services.admission().refuseReplay(session.channel().remoteAddress(), now());
    }

    /** Returns whether the subscriber has waited for its turn as long as it may. */
    boolean hasWaited() {
        return now() - helloNanos > MOST_WAIT_NANOS;
    }

    private long now() {
        return services.clock().nanoTime();
    }
}
