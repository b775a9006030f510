package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * The limits of a slow subscriber: its policy, its lag, its identity's rate, and its time without progress while
 * publishers or subscribers wait for it. With {@link Policy#BACKPRESSURE} publishers are held back for the subscriber,
 * as long as it makes progress. Owned by the subscriber's thread; {@link #policy} is for any thread.
 */
final class SlowReader {
    /** What the policy demands when the log has overtaken the subscriber. */
    enum Overtaken {
        /** The subscriber is cut off for the reason that {@link #tooSlow} returns. */
        CUT,
        /** The subscriber jumps to the newest packets, and is told what it missed. */
        JUMP,
        /** The subscriber goes on in the journal. */
        JOURNAL,
        /** The subscriber gets the newest message of each type, and goes on at the head. */
        CONFLATE
    }

    /**
     * A subscriber leaves the journal when its lag is no more than a quarter of the limit. The other three quarters are
     * a reserve, in case the loop that sends the log is late.
     */
    private static final int NEAR = 4;

    private final Rights rights;
    private final WindowGate.Limit subscriber;
    private final FanoutParts shared;
    private final WindowGate gate;
    private final Services services;
    private final Ticker clock;
    private volatile Policy policy;
    // Shortest time between two states; 0: it gets the stream. Reports read it.
    private volatile int intervalMillis;
    private long intervalNanos;
    private boolean holdsBack;
    private boolean inGate;
    private long progressNanos;

    // Bytes that were sent but are not counted against the identity's rate yet; 0 if there is no rate.
    private long unspent;
    // Whether the identity's rate has paused the subscriber since it was last at the head.
    private boolean paused;
    private boolean missedIsLogged;
    // The end of the stream when the subscriber was last held up, by its socket or its rate.
    private long heldUpAt;

    SlowReader(FanoutParts shared, Services services, Rights rights, WindowGate.Limit subscriber) {
        this.shared = shared;
        this.gate = shared.gate();
        this.rights = rights;
        this.subscriber = subscriber;
        this.services = services;
        this.clock = services.clock();
        change(services.clients().slowSubscriber());
    }

    Policy policy() {
        return policy;
    }

    /** @param to not {@link Policy#RELAY_DEFAULT} */
    void change(Policy to) {
        leaveGate();
        policy = to;
        holdsBack = to == Policy.BACKPRESSURE;
    }

    /** From now on the subscriber gets the state at each tick of an interval, in ms; 0: it gets the stream. */
    void every(int millis) {
        intervalMillis = millis;
        intervalNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Returns the interval in ms; 0: there is none. Any thread. */
    int intervalMillis() {
        return intervalMillis;
    }

    /** Returns the interval in ns; 0: there is none. */
    long intervalNanos() {
        return intervalNanos;
    }

    /** Returns whether the subscriber waits for ticks. A relay that ends sends what there is, and waits for none. */
    boolean ticks() {
        return intervalNanos > 0 && !services.table().draining();
    }

    /** Returns the last tick at a time; 0 if there is no interval. All subscribers of one interval tick together. */
    long tickAt(long nowNanos) {
        return intervalNanos == 0 ? 0 : Math.floorDiv(nowNanos, intervalNanos);
    }

    /** Returns the time of a tick. */
    long timeOf(long tick) {
        return tick * intervalNanos;
    }

    Overtaken overtaken() {
        return switch (policy) {
            case DISCONNECT, BACKPRESSURE -> Overtaken.CUT;
            case SKIP -> Overtaken.JUMP;
            case REPLAY -> Overtaken.JOURNAL;
            case LATEST -> Overtaken.CONFLATE;
            case RELAY_DEFAULT -> throw new IllegalStateException("no policy of a subscriber: " + policy);
        };
    }

    /** From now on publishers are held back for the subscriber, if its policy demands that. */
    void joinGate() {
        inGate = true;
        // Publishers may have waited long for other subscribers. Their wait for this subscriber starts only now.
        progressNanos = clock.nanoTime();
        if (holdsBack) {
            gate.add(subscriber);
        }
    }

    boolean inGate() {
        return inGate;
    }

    void leaveGate() {
        if (inGate && holdsBack) {
            gate.remove(subscriber);
        }
        inGate = false;
    }

    void movedBack() {
        if (holdsBack) {
            gate.movedBack();
        }
    }

    /** Returns since when subscribers with this policy have held publishers back; or {@link WindowGate#NEVER}. */
    long holdsBackSince() {
        return holdsBack && gate.blockedByReaders() ? gate.blockedSinceNanos() : WindowGate.NEVER;
    }

    /** Returns whether the subscriber gets the newest message of each type when it is too slow. Any thread. */
    boolean conflates() {
        return policy == Policy.LATEST;
    }

    /**
     * Notes that the subscriber could not be sent the stream up to {@code end}: its socket has not taken all of a
     * write, its rate is used up, or it has only come now.
     */
    void heldUp(long end) {
        heldUpAt = end;
    }

    /**
     * Returns whether a subscriber at {@code position} is too far behind. With {@link Policy#LATEST} that is judged by
     * the end of the stream at which it was held up last: what has come since then, it may have been sent late by the
     * relay's own choice. With an interval every place is too far behind for the stream.
     */
    boolean lags(long position, long end) {
        return ticks()
                || end - position > rights.maxLag()
                || conflates() && heldUpAt - position > shared.conflateBytes();
    }

    /** Returns whether the subscriber is near enough to the head to leave the journal. */
    boolean isNear(long lag) {
        return lag <= Math.min(shared.logBytes(), rights.maxLag()) / NEAR;
    }

    /**
     * Counts messages that the subscriber misses, and logs the first ones.
     *
     * @param who the subscriber, for the log
     */
    void missed(CatchUp.Gap gap, String who) {
        boolean slow = gap.reason() == GapReason.SLOW;
        if (!missedIsLogged) {
            missedIsLogged = true;
            String text = slow
                    ? " is too slow: it skips " + gap.what()
                    : " misses " + gap.what() + ", " + gap.reason().text();
            String line = who + text + " (logged once, counted always)";
            services.closes().warn(CloseReason.SLOW_SUBSCRIBER, clock.nanoTime(), line);
        }
        Counter counter = slow ? Counter.MESSAGES_SKIPPED : Counter.JOURNAL_REPLAY_MISSED;
        services.counters().add(counter, gap.to() - gap.from() + 1);
    }

    Refusal tooSlow() {
        return rights.tooFarBehind(shared.logBytes(), paused);
    }

    /** Notes the subscriber's position, after its socket has taken {@code bytes} more. */
    void reached(long position, long bytes) {
        unspent = rights.hasRate() ? unspent + bytes : 0;
        if (holdsBack) {
            gate.wakeIfRoom(position);
        }
    }

    /** Pauses the subscriber if its identity has used up its rate; returns whether it is paused now. */
    boolean pauseIfSpent(long lag) {
        if (!rights.hasRate()) {
            return false;
        }
        if (lag <= 0) {
            paused = false;
            return false;
        }
        long now = clock.nanoTime();
        if (!rights.isPaused(now)) {
            // Called even with 0 bytes, because other connections of the identity may have used up the rate.
            rights.spend(unspent, now);
            unspent = 0;
        }
        boolean spent = rights.isPaused(now);
        paused |= spent;
        return spent;
    }

    /** Notes that the subscriber makes progress, or that nobody waits for it. */
    void progress(long nowNanos) {
        progressNanos = nowNanos;
    }

    /**
     * Returns whether the subscriber has made no progress for too long, while publishers or subscribers wait for it.
     */
    boolean stalls(long sinceNanos, long nowNanos) {
        return nowNanos - Math.max(progressNanos, sinceNanos) > shared.stallNanos();
    }
}
