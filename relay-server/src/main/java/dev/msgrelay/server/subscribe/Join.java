package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.net.UnsentBytes;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.stream.Mark;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber's requests, and what the relay has granted: types; and the start, policy and durability of the stream.
 *
 * <pre>
 *   HELLO --greeted--> seekStart, until the start is found --> admit --> WELCOME
 *                        '--> WAIT: not in the stream yet, or no memory;  IN_JOURNAL: move to the journal's loop
 *   SUBSCRIBE --wantTypes--> chooseTypes, between two frames
 * </pre>
 *
 * <p>Owned by the subscriber's thread, except where a method says otherwise.
 */
final class Join {
    /** Longest wait for permission or for memory to start in the journal. Clients give up 5 s after HELLO. */
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Most ranges of types in the text of a refusal. */
    private static final int TEXT_RANGES = 8;

    /** Bytes of Java heap that a set of type ranges takes, without the ranges themselves. */
    private static final int RANGES_BYTES = 64;

    // What a client asks for, in the texts of refusals.
    private static final String STATE = "a start with the state";
    private static final String LATEST = "policy latest";

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
    // Whether a request for all types means all permitted types. Without HELLO it always does.
    private boolean narrows = true;

    // The HELLO that is not answered with WELCOME yet. The fields below are the decisions about it.
    private HelloFrame hello;
    private long helloNanos;
    private boolean hasTurn;
    // Whether the subscriber gets the policy LATEST, for which the state must have all of its types.
    private boolean conflates;
    private int intervalMillis;
    // Whether the types of HELLO are in force, though others may be wanted by now.
    private boolean typesAreChosen;
    private Policy policy;
    private long fork;
    // With STREAM the subscriber gets messages before they are durable.
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

    /** Replaces the wanted types; throws if the client's rights or a memory limit do not allow them. */
    void wantTypes(TypeRanges asked) throws FrameException {
        TypeRanges ranges = rights.grant(asked, narrows);
        if (conflates) {
            checkHas(ranges, LATEST);
        }
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

    /** From now on sends the wanted types. Called only between two frames of the stream. */
    void chooseTypes(Delivery delivery) {
        takeWanted();
        delivery.choose(types, sequences);
    }

    private void takeWanted() {
        types = wanted;
        if (wantedBytes > 0 || wanted.isAll()) {
            memory.giveBack(typesBytes);
            typesBytes = wantedBytes;
            wantedBytes = 0;
        }
    }

    void greeted(HelloFrame said) throws FrameException {
        narrows = said.wants(Features.NARROWED);
        hello = said;
        conflates = services.clients().grant(said.policy(), true) == Policy.LATEST;
        if (conflates) {
            checkState(LATEST);
            intervalMillis = rights.grantInterval(said.intervalMillis());
        }
        wantTypes(said.types());
        boolean ofState = said.start() == StartFrom.STATE;
        if (ofState) {
            checkState(STATE);
            checkHas(wanted, STATE);
        }
        if (ofState || conflates) {
            // The state is that of HELLO's types. A SUBSCRIBE that comes before WELCOME waits until the state is sent.
            takeWanted();
            typesAreChosen = true;
        }
        helloNanos = now();
    }

    /**
     * Moves the stream to its start. Called only between two frames, and repeatedly until the start is found.
     *
     * @throws FrameException there is no such start, or the stream has not reached it in time
     */
    CatchUp.Seek seekStart(Delivery delivery, Mark head) throws FrameException {
        if (hasReadAhead(head)) {
            awaitStart(head);
            return CatchUp.Seek.WAIT;
        }
        boolean replayed = shared.replays().isPresent();
        // The head is read again, because the writer may have replaced the whole log while this thread was paused.
        shared.log().head().read(head);
        CatchUp.Start start = start(head, replayed);
        // Set only now, because the lag before the move may be one for which the granted policy cuts a subscriber off.
        policy = services.clients().grant(hello.policy(), replayed);
        slowness.change(policy);
        slowness.every(intervalMillis);
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

    /** Returns the start that HELLO asks for; throws if the stream has no such start. */
    private CatchUp.Start start(Mark head, boolean replayed) throws FrameException {
        boolean ofState = hello.start() == StartFrom.STATE;
        boolean resumes = hello.start() == StartFrom.SEQUENCE || ofState && hello.number() > 1;
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
        // A start before the fork is no rollback, because the subscriber has the same messages up to there.
        fork = known && (!resumes || first == hello.number()) ? Durability.TODAY : forked;
        if (ofState && fork != Durability.TODAY) {
            // What the client has is of no use, so it gets the whole state.
            first = 1;
        }
        return new CatchUp.Start(hello.start(), first, byTime ? hello.number() : 0);
    }

    /** Throws if this relay does not give {@code what}, which takes the state, or not at the level of HELLO. */
    private void checkState(String what) throws FrameException {
        if (shared.state().isEmpty()) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED, what + " is not given here: the relay keeps no state, without --state");
        }
        if (hello.level() != Level.STREAM) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    what + " has level " + Level.STREAM.flag() + ", and "
                            + hello.level().flag() + " was asked for");
        }
    }

    /** Throws if the state does not have all types that {@code what} is asked for. */
    private void checkHas(TypeRanges asked, String what) throws FrameException {
        StateDesk state = shared.state().orElseThrow();
        if (!state.has(asked)) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    "the state has types " + state.kept().text(TEXT_RANGES) + " (--state-types), and " + what
                            + " was asked for " + asked.text(TEXT_RANGES));
        }
    }

    /** Returns whether the subscriber has messages of another relay that have not come to this relay yet. */
    private boolean hasReadAhead(Mark head) {
        return shared.elsewhere()
                && (hello.start() == StartFrom.SEQUENCE || hello.start() == StartFrom.STATE)
                && hello.number() > head.sequence()
                && services.durability().forkOf(hello) == Durability.TODAY;
    }

    /** Throws if the messages that the subscriber already has did not come to this relay in time. */
    private void awaitStart(Mark head) throws FrameException {
        Duration most = services.clients().handshakeTimeout();
        if (now() - helloNanos > most.toNanos()) {
            throw new FrameException(
                    CloseReason.HANDSHAKE_TIMEOUT,
                    "sequence " + hello.number() + " has not come to this relay within " + most.toMillis()
                            + " ms: the next one here is " + head.sequence());
        }
    }

    /** Chooses the types, and welcomes the client. The first message of its stream is {@code first}. */
    void admit(Delivery delivery, long first) {
        sequences = hello.wants(Features.SEQUENCES);
        if (!typesAreChosen) {
            takeWanted();
        }
        delivery.choose(types, sequences);
        // A client that did not ask for REPLAY may not know this policy. Its WELCOME has RELAY_DEFAULT instead.
        boolean unknown = policy == Policy.REPLAY && hello.policy() != Policy.REPLAY;
        int features = rights.permittedTypes().isAll() ? Features.SEQUENCES : Features.SEQUENCES | Features.NARROWED;
        if (intervalMillis > 0) {
            features |= Features.INTERVAL;
        }
        if (conflates) {
            UnsentBytes.bound(session.channel(), shared.conflateBytes());
        }
        session.welcome(hello, unknown ? Policy.RELAY_DEFAULT : policy, features, intervalMillis, first, 0, fork);
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
     * Returns whether the subscriber may start in the journal, or get the state, now. The number of such starts a
     * second is limited for each address. Once the answer was true, it stays true. A start in the log is not limited.
     */
    boolean takeTurn() {
        hasTurn = hasTurn || services.admission().mayReplay(Peer.address(session.channel()), now());
        return hasTurn;
    }

    /** Returns the refusal of a subscriber for which {@link #takeTurn} has been false for too long. */
    Refusal noTurn() {
        return services.admission().refuseReplay(Peer.address(session.channel()), now());
    }

    /** Returns whether the longest time that the subscriber may wait is over. */
    boolean hasWaited() {
        return now() - helloNanos > MOST_WAIT_NANOS;
    }

    private long now() {
        return services.clock().nanoTime();
    }
}
