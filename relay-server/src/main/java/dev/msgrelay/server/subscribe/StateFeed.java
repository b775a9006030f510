package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.state.Walk;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.WindowGate;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The state on its way to one subscriber: batch by batch from the core to the socket, up to the head of the stream. The
 * subscriber's reader stays where it is meanwhile, and then moves to that head.
 *
 * <pre>
 *   begin --> IDLE --ask--> ASKED --the core answers--> ANSWERED --send--> WRITING --written--> IDLE | arrived
 *              ^-- RESTING <--rest, until the next tick of the subscriber's interval-- arrived
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
        /** The subscriber has the state of a tick, and waits for the next one. */
        RESTING,
        RELEASED
    }

    private final StateDesk desk;
    private final Walk walk;
    private final SocketWriter writer;
    private final SlowReader slowness;
    private final LongAdder lateStates;
    private long sinceNanos;
    // Volatile, as the next field is, for reports.
    private volatile Step step = Step.WAITING;
    private volatile long next;
    // The tick of the interval at which it has begun, or until which it rests.
    private long tick;
    private boolean begun;
    private boolean arrived;
    private boolean late;

    /** @param first the first number that the subscriber wants */
    StateFeed(
            StateDesk desk, Services services, Session session, SocketWriter writer, SlowReader slowness, long first) {
        this.desk = desk;
        this.writer = writer;
        this.slowness = slowness;
        this.lateStates = services.counters().adder(Counter.STATE_LATE);
        this.next = first;
        this.sinceNanos = services.clock().nanoTime();
        this.walk = new Walk(first, () -> session.execute(this::answered));
        walk.every(slowness.intervalNanos());
    }

    /** Sets the wanted types. Called before {@link #begin}. */
    void choose(TypeRanges types) {
        walk.choose(types);
    }

    /** Begins to ask for the state. Further calls do nothing. */
    void begin(long nowNanos) {
        if (step == Step.WAITING) {
            step = Step.IDLE;
            tick = slowness.tickAt(nowNanos);
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

    /**
     * Returns whether a PING says nothing about the stream now: the subscriber has got a part of the state.
     *
     * @param atEnd whether its place is the stream's end, where a PING would say that the state is complete
     */
    boolean hidesPlace(boolean atEnd) {
        return step != Step.RESTING && (begun || atEnd);
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

    /** Rests at the head that was reached, until the next tick; returns how many ticks were missed on the way. */
    long rest(long nowNanos) {
        beginAgain(nowNanos);
        step = Step.RESTING;
        long now = slowness.tickAt(nowNanos);
        long missed = now - tick;
        tick = now + 1;
        return missed;
    }

    /** Returns whether the subscriber waits for the next tick of its interval. Any thread. */
    boolean isResting() {
        return step == Step.RESTING;
    }

    /** Returns the time of the tick that the subscriber waits for. */
    long restsUntil() {
        return slowness.timeOf(tick);
    }

    /**
     * Ends the rest if its time is over; returns whether it goes on.
     *
     * @param nothingNew whether the subscriber is at the head still. Then it rests until the tick after this one
     */
    boolean restsOn(boolean nothingNew, long nowNanos) {
        long now = slowness.tickAt(nowNanos);
        boolean ticks = slowness.ticks();
        if (ticks && nothingNew) {
            tick = Math.max(tick, now + 1);
        }
        if (ticks && now < tick) {
            return true;
        }
        step = Step.IDLE;
        tick = now;
        return false;
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
        step = Step.WRITING;
        if (!walk.hasFrames()) {
            written();
            return Feed.Outcome.MOVED;
        }
        begun = true;
        if (walk.lead().isReadable()) {
            writer.add(walk.lead());
        }
        writer.add(walk.frames());
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

    /** Counts the state once as late if the head was not reached in time. One that has not begun is not late. */
    void tick(long nowNanos) {
        if (!begun) {
            sinceNanos = nowNanos;
        }
        if (!late && nowNanos - sinceNanos > LATE_NANOS) {
            late = true;
            lateStates.increment();
        }
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
