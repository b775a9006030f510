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
import dev.msgrelay.server.stream.Mark;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber's way in: the types that it may have, and from HELLO to WELCOME the place, the policy and the durability of its
 * stream.
 *
 * <pre>
 *   HELLO --greeted--> stand, again and again: not here yet? no memory? to the journal? --> admit --> WELCOME
 * </pre>
 *
 * <p>Owned by the subscriber's thread.
 */
final class Admittance {
    /** Longest wait for a turn to start in the journal, and for memory there: clients give up 5 s after HELLO. */
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final FanoutParts shared;
    private final Services services;
    private final Rights rights;
    private final SlowReader slowness;
    private final TypeChoice types;
    // The HELLO that WELCOME has not answered yet, with those of its types that access allows; otherwise null.
    private HelloFrame hello;
    private long helloNanos;
    private boolean hasTurn;
    private TypeRanges firstTypes;
    // The answers to it, once there is a place.
    private Start start;
    private Policy granted;
    private boolean sequences;
    // True: where access does not allow every type the subscriber takes fewer; plain ones do.
    private boolean narrows = true;
    // Null: the subscriber gets messages before they are durable.
    private Level durable;

    Admittance(FanoutParts shared, Services services, Rights rights, SlowReader slowness) {
        this.shared = shared;
        this.services = services;
        this.rights = rights;
        this.slowness = slowness;
        this.types = new TypeChoice(
                services.budget().pool(Part.CONTROL), services.limits().controlBytesPerConnection());
    }

    /** Asks for types; throws where access allows none of them, or there is no memory for so many ranges. */
    void want(TypeRanges asked) throws FrameException {
        types.want(rights.grant(asked, narrows));
    }

    /** Returns the types that the subscriber gets. Any thread. */
    TypeRanges types() {
        return types.inForce();
    }

    /** Sends the types that are wanted from here on: the stream stands between two frames. */
    void chooseTypes(Delivery delivery) {
        types.choose();
        delivery.choose(types.inForce(), sequences);
    }

    /** Takes a HELLO; throws {@link FrameException} where what it asks for is not to be had. */
    void greeted(HelloFrame said) throws FrameException {
        narrows = said.wants(Features.NARROWED);
        firstTypes = rights.grant(said.types(), narrows);
        types.want(firstTypes);
        hello = said;
        helloNanos = now();
    }

    /**
     * Places the subscriber in the stream, which stands between two frames; to be called again until there is a place.
     *
     * @param level how durable the messages must be; null: no matter
     * @throws FrameException there is no such place, or it has not come here in time
     */
    CatchUp.Place stand(Delivery delivery, Level level, Mark head) throws FrameException {
        if (hasReadAhead(head)) {
            awaitStart(head);
            return CatchUp.Place.WAIT;
        }
        boolean replayed = shared.replays() != null;
        // Anew: while this thread had no core the writer may have gone round the whole log. So again before each start.
        shared.log().head().read(head);
        start = Start.of(hello, services.durability(), head, replayed);
        // Not earlier: until here the subscriber was a plain one, and may have skipped what it would be cut off for.
        granted = services.clients().grant(hello.policy(), replayed);
        slowness.change(granted);
        if (durable == null && (level == Level.WRITTEN || level == Level.FORCED)) {
            durable = level;
            delivery.durableOnly(shared.durable().join(level));
        }
        CatchUp.Place place = delivery.stand(start, head);
        if (place == CatchUp.Place.WAIT && hasWaited()) {
            throw new FrameException(
                    CloseReason.MEMORY_LIMIT,
                    "others who get the journal have all " + services.limits().replayBytes()
                            + " bytes of --replay-size: there was no room to start for "
                            + TimeUnit.NANOSECONDS.toSeconds(MOST_WAIT_NANOS) + " s");
        }
        return place;
    }

    /**
     * Takes the turn of this subscriber to start in the journal, of which its address has so many a second; once taken it
     * stays. A start within the log needs none.
     *
     * @return whether the turn has come
     */
    boolean takeTurn(SocketAddress from) {
        hasTurn = hasTurn || services.admission().mayReplay(from, now());
        return hasTurn;
    }

    /** Refuses the subscriber, whose turn has not come while it has waited. */
    Refusal noTurn(SocketAddress from) {
        return services.admission().refuseReplay(from, now());
    }

    /** Returns whether the subscriber has waited for its turn as long as it may. */
    boolean hasWaited() {
        return now() - helloNanos > MOST_WAIT_NANOS;
    }

    private long now() {
        return services.clock().nanoTime();
    }

    /** Returns whether the subscriber has had more of the stream at another relay than is here yet. */
    private boolean hasReadAhead(Mark head) {
        return shared.elsewhere()
                && hello.start() == StartFrom.SEQUENCE
                && hello.number() > head.sequence()
                && services.durability().forkOf(hello) == Durability.TODAY;
    }

    /** The messages that the subscriber has had come here as well, and it is welcome then; but nobody waits for ever. */
    private void awaitStart(Mark head) throws FrameException {
        Duration most = services.clients().handshakeTimeout();
        if (now() - helloNanos > most.toNanos()) {
            throw new FrameException(
                    CloseReason.HANDSHAKE_TIMEOUT,
                    "sequence " + hello.number() + " has not come to this relay within " + most.toMillis()
                            + " ms: the next one here is " + head.sequence());
        }
    }

    /** Puts the types of HELLO in force, and welcomes the client, once there is a place; {@code first}: its number. */
    void admit(Delivery delivery, long first, Session session) {
        HelloFrame said = hello;
        hello = null;
        sequences = said.wants(Features.SEQUENCES);
        types.choose(firstTypes);
        delivery.choose(firstTypes, sequences);
        // A client that did not offer REPLAY may not decode it; WELCOME then says RELAY_DEFAULT.
        boolean unknown = granted == Policy.REPLAY && said.policy() != Policy.REPLAY;
        int features = rights.permittedTypes().isAll() ? Features.SEQUENCES : Features.SEQUENCES | Features.NARROWED;
        Policy policy = unknown ? Policy.RELAY_DEFAULT : granted;
        session.welcome(said, policy, features, first, 0, start.fork());
    }

    void release() {
        if (durable != null) {
            shared.durable().leave(durable);
            durable = null;
        }
        types.release();
    }
}
