package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.state.Walk;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;

/**
 * The state on its way to one subscriber: batch by batch from the core to the socket, up to the head of the stream. The
 * subscriber's reader stays where it is meanwhile, and then moves to that head.
 *
 * <pre>
 *   begin --> IDLE --ask--> ASKED --the core answers--> ANSWERED --send--> WRITING --written--> IDLE | arrived
 * </pre>
 *
 * <p>Owned by the subscriber's thread.
 */
final class StateFeed {
    /** The time after which a state that has not reached the head is late: types change faster than it is read. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private enum Step {
        /** The subscriber is not allowed to begin yet. */
        WAITING,
        IDLE,
        ASKED,
        ANSWERED,
        WRITING,
        RELEASED
    }

    private final StateDesk desk;
    private final Walk walk;
    private final SocketWriter writer;
    private long sinceNanos;
    private Step step = Step.WAITING;
    private volatile long next;
    private boolean begun;
    private boolean arrived;
    private boolean late;

    /** @param first the first number that the subscriber wants */
    StateFeed(StateDesk desk, Session session, SocketWriter writer, long first, long nowNanos) {
        this.desk = desk;
        this.writer = writer;
        this.next = first;
        this.sinceNanos = nowNanos;
        this.walk = new Walk(first, () -> session.execute(this::answered));
    }

    /** Sets the wanted types. Called before {@link #begin}. */
    void choose(TypeRanges types) {
        walk.choose(types);
    }

    /** Begins to ask for the state. Further calls do nothing. */
    void begin() {
        if (step == Step.WAITING) {
            step = Step.IDLE;
        }
    }

    /** Returns whether the subscriber is not allowed to begin yet. */
    boolean isWaiting() {
        return step == Step.WAITING;
    }

    /** Returns whether the subscriber has no batch, and has not asked for one. */
    boolean isIdle() {
        return step == Step.IDLE;
    }

    /** Returns whether the subscriber has got a part of the state. */
    boolean hasBegun() {
        return begun;
    }

    /** Returns the first number that the subscriber has not been told of. Any thread. */
    long next() {
        return next;
    }

    /** Returns whether the state has reached the head of the stream, see {@link #head}. */
    boolean hasArrived() {
        return arrived;
    }

    Mark head() {
        return walk.head();
    }

    /** Goes on behind the head that was reached. */
    void goOn() {
        arrived = false;
    }

    /** Begins anew behind the head that was reached, and that the subscriber is told of. */
    void beginAgain(long nowNanos) {
        goOn();
        begun = false;
        sinceNanos = nowNanos;
        late = false;
    }

    /** Asks for the next batch, or writes the one that has come. The results are those of {@link Feed#next}. */
    Feed.Outcome send() {
        if (step == Step.IDLE) {
            step = Step.ASKED;
            desk.ask(walk);
        }
        if (step != Step.ANSWERED) {
            return Feed.Outcome.WAIT;
        }
        ByteBuf batch = walk.batch();
        step = Step.WRITING;
        if (!batch.isReadable()) {
            written();
            return Feed.Outcome.MOVED;
        }
        begun = true;
        writer.add(batch.retainedDuplicate());
        return writer.flush() ? Feed.Outcome.SENT : Feed.Outcome.WAIT;
    }

    private void answered() {
        if (step == Step.RELEASED) {
            desk.giveBack(walk);
        } else {
            step = Step.ANSWERED;
        }
    }

    boolean isWriting() {
        return step == Step.WRITING;
    }

    /** Called when the socket has taken the batch. */
    void written() {
        step = Step.IDLE;
        next = walk.next();
        arrived = walk.hasArrived();
        desk.giveBack(walk);
    }

    /** Messages of the batch that was written last. */
    long messages() {
        return walk.messages();
    }

    /** Numbers that this batch called superseded. */
    long superseded() {
        return walk.superseded();
    }

    /** Bytes of these messages. */
    long bytes() {
        return walk.bytes();
    }

    /** Returns since when others have waited for memory that this subscriber has; or {@link WindowGate#NEVER}. */
    long waitedForSince() {
        // A control frame that the socket does not take holds up the batch that has come.
        boolean hasBatch = step == Step.WRITING || step == Step.ANSWERED;
        return hasBatch ? desk.waitingSince(walk) : WindowGate.NEVER;
    }

    /**
     * Returns true once, if the head was not reached in time. A subscriber that waits for its first batch is not late.
     */
    boolean isLate(long nowNanos) {
        if (!begun) {
            sinceNanos = nowNanos;
        }
        boolean now = !late && nowNanos - sinceNanos > LATE_NANOS;
        late |= now;
        return now;
    }

    void release() {
        if (step == Step.RELEASED) {
            return;
        }
        if (step != Step.ASKED) {
            // Otherwise the buffer is the core's, which gives it back, or answers once more.
            desk.giveBack(walk);
        }
        step = Step.RELEASED;
        desk.end(walk);
    }
}
