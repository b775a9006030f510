package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.Counters;
import dev.msgrelay.server.session.Durability;
import dev.msgrelay.server.session.Outbox;

/**
 * The producer of one connection: its name, the numbers of its messages, and how far they have got.
 *
 * <pre>
 *   take a name --> begin: which number is next? --> settled? --> WELCOME: accepted, fork
 *   taken into the stream ---------------------------------------> ACK
 *   want --> journal: written, forced --> look ------------------> ACK's levels
 * </pre>
 *
 * Without a name nothing is acknowledged. Owned by the connection's thread; {@link #unsettled} may be asked by any.
 */
final class ProducerState {
    private final Durability durability;
    private final Counters counters;
    private PublisherName name;
    // The number of messages, of those that come next, that were taken before.
    private long duplicates;
    // The numbers of WELCOME.
    private long acceptedBefore;
    private long fork = Durability.TODAY;
    // Null: it is not told.
    private Levels levels;
    private volatile boolean unsettled;

    ProducerState(Durability durability, Counters counters) {
        this.durability = durability;
        this.counters = counters;
    }

    /** Null: it has none. */
    PublisherName name() {
        return name;
    }

    /** Takes a name. Returns whether the log is to say that the producer sends no id. */
    boolean take(PublisherName given, ProducerId producer) {
        name = given;
        return producer.equals(ProducerId.NONE) && name.warn();
    }

    /** Lets go of the name. Returns it; null: there was none. */
    PublisherName leave() {
        PublisherName had = name;
        name = null;
        return had;
    }

    /**
     * HELLO has come, and the name, if it asks for one, is there.
     *
     * @param level that it waits for; null: it is not told how far its messages have got in the journal
     * @throws FrameException its number is not one that may come next
     */
    void begin(HelloFrame hello, Level level, Outbox outbox) throws FrameException {
        long known = durability.forkOf(hello);
        if (name == null) {
            fork = known == Durability.UNKNOWN ? known : Durability.TODAY;
            return;
        }
        number(hello, known);
        outbox.ackedUpTo(Math.max(acceptedBefore, hello.number() - 1), name.sequence());
        if (level != null) {
            levels = new Levels(durability, level, name.sequence(), name.accepted());
            outbox.tellLevels(levels.written(), levels.forced());
        }
    }

    private void number(HelloFrame hello, long life) throws FrameException {
        long known = name.accepted();
        long number = hello.number();
        boolean earlierLife = life != Durability.TODAY && life != Durability.UNKNOWN;
        boolean missing = number - 1 > known;
        boolean told = missing && life == Durability.TODAY && name.mayGoOnAt(number);
        if (!missing) {
            duplicates = number == 0 ? 0 : known - (number - 1);
            name.goOn();
        } else if (known > 0 && life == Durability.TODAY && !told) {
            throw new FrameException(
                    CloseReason.MESSAGE_GAP,
                    "HELLO: number " + number + " is above accepted + 1 = " + (known + 1) + " of " + name.name());
        } else if (!told) {
            // Another relay acknowledged the missing messages, or this one, whose journal does not have them.
            name.goOnAt(number, life == Durability.TODAY ? 0 : known + 1);
        }
        long untold = 0;
        if (missing && earlierLife) {
            untold = known + 1;
        } else if (earlierLife) {
            // An earlier WELCOME that was lost said so; messages that came since are acknowledged behind this one.
            untold = name.untold(number, life);
        }
        acceptedBefore = untold > 0 ? 0 : told && known > 0 ? number - 1 : known;
        fork = untold > 0 ? untold : earlierLife ? Durability.TODAY : life;
    }

    /** Number of the last message that was taken of its name before, as WELCOME says it. */
    long acceptedBefore() {
        return acceptedBefore;
    }

    /** As WELCOME says it, see {@link dev.msgrelay.server.session.Session#welcome}. */
    long fork() {
        return fork;
    }

    /** Whether readers see what was accepted before, and it has got as far as it waits for, so that it may be welcomed. */
    boolean settled() {
        return name == null || !name.changed && (levels == null || levels.settled(known()) >= known());
    }

    /** Number of the last message of {@link #acceptedBefore} that is in the stream: behind it some may be gone. */
    private long known() {
        return Math.min(acceptedBefore, name.accepted());
    }

    /** Whether messages of its name wait for their place in the order, which others give. */
    boolean isUnderWay() {
        return name != null && name.isUnderWay();
    }

    /** Throws where so many messages more have no numbers. */
    void checkNumbers(int messages) throws FrameException {
        if (name != null && !name.hasNumbersFor(messages)) {
            throw new FrameException(
                    CloseReason.MESSAGE_GAP, "the numbers of " + name.name() + " are used up: they end at 2^63 - 1");
        }
    }

    /** Whether the messages that come next were taken before. */
    boolean sendsAgain() {
        return duplicates > 0;
    }

    /** Passes over frames at the front that were taken before. Returns their bytes. */
    int drop(RunScan span) {
        int count = (int) Math.min(duplicates, span.frames());
        duplicates -= count;
        counters.add(Counter.DUPLICATES, count);
        return count == span.frames() ? span.end() : span.lengthOf(count);
    }

    /** More of its messages are in the stream, and readers see them. */
    void taken() {
        if (levels != null) {
            levels.taken(name.sequence(), name.accepted());
        }
    }

    void acknowledge(Outbox outbox) {
        if (name != null) {
            outbox.ack(name.accepted(), name.sequence());
        }
    }

    /** Asks the journal for what it waits for, up to a position; returns whether there is anything. */
    boolean want(long position) {
        if (levels == null) {
            return false;
        }
        unsettled = levels.publisherWaits();
        if (levels.waits()) {
            levels.want(position);
            return true;
        }
        return false;
    }

    /** Tells how far the journal has got. Returns whether that is further than before. */
    boolean look(Outbox outbox) {
        if (levels == null || !levels.look()) {
            return false;
        }
        unsettled = levels.publisherWaits();
        outbox.levels(levels.written(), levels.forced());
        return true;
    }

    /** Whether something has not got as far in the journal as it can. */
    boolean waits() {
        return levels.waits();
    }

    /** Whether something has not got as far as it waits for. Any thread. */
    boolean unsettled() {
        return unsettled;
    }
}
