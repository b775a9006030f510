package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.util.concurrent.Ticker;

/**
 * The limits of a slow subscriber: its policy, how far behind and how fast its identity may be sent to, and how long it may stand
 * still while others wait for it. Owned by the subscriber's thread; {@link #policy} may be asked by any.
 *
 * <p>With {@link Policy#BACKPRESSURE} publishers are held back for the subscriber, as long as that makes progress.
 */
final class SlowReader {
    /** The end of a subscriber's stream as it was, once the log has overtaken it. */
    enum Overtaken {
        /** The subscriber is cut off: {@link #tooSlow} says why. */
        CUT,
        /** The subscriber jumps to the newest packets, and is told what it missed. */
        JUMP,
        /** The journal has what the subscriber was too slow for. */
        JOURNAL
    }

    /** A subscriber that was behind goes back to a sending loop within this part of the log: room is left, should that be late. */
    private static final int NEAR = 4;

    private final Rights rights;
    private final WindowGate.Limit subscriber;
    private final FanoutParts shared;
    private final Ticker clock;
    private volatile Policy policy;
    private boolean holdsBack;
    // The policy knows of the subscriber, and may hold the log back for it.
    private boolean joined;
    private long progressNanos;

    // With a rate: bytes sent that the identity has not been told of yet.
    private long untold;
    // With a rate: there was a pause since the subscriber was at the head last.
    private boolean paused;

    /** Begins with the relay's own policy. */
    SlowReader(FanoutParts shared, Services services, Rights rights, WindowGate.Limit subscriber) {
        this.shared = shared;
        this.rights = rights;
        this.subscriber = subscriber;
        this.clock = services.clock();
        change(services.clients().slowSubscriber());
    }

    Policy policy() {
        return policy;
    }

    /** @param to not {@link Policy#RELAY_DEFAULT} */
    void change(Policy to) {
        leave();
        policy = to;
        holdsBack = to == Policy.BACKPRESSURE;
    }

    Overtaken overtaken() {
        return switch (policy) {
            case DISCONNECT, BACKPRESSURE -> Overtaken.CUT;
            case SKIP -> Overtaken.JUMP;
            case REPLAY -> Overtaken.JOURNAL;
            case RELAY_DEFAULT -> throw new IllegalStateException("no policy of a subscriber: " + policy);
        };
    }

    /** Joins the policy: from here on the log may be held back for the subscriber. */
    void join() {
        joined = true;
        // Publishers may have waited for others for long.
        progressNanos = clock.nanoTime();
        if (holdsBack) {
            shared.gate().add(subscriber);
        }
    }

    boolean joined() {
        return joined;
    }

    void leave() {
        if (joined && holdsBack) {
            shared.gate().remove(subscriber);
        }
        joined = false;
    }

    void movedBack() {
        if (holdsBack) {
            shared.gate().movedBack();
        }
    }

    /** Returns since when subscribers like this one hold publishers back; {@link WindowGate#NEVER}: they do not. */
    long holdsBackSince() {
        WindowGate gate = shared.gate();
        return holdsBack && gate.blockedByReaders() ? gate.blockedSinceNanos() : WindowGate.NEVER;
    }

    boolean lags(long behind) {
        return behind > rights.maxLag();
    }

    /** Returns whether that is close enough to the head to go on without the journal. */
    boolean isNear(long behind) {
        return behind <= Math.min(shared.logBytes(), rights.maxLag()) / NEAR;
    }

    Refusal tooSlow() {
        return rights.tooFarBehind(shared.logBytes(), paused);
    }

    /** Notes where the subscriber stands; the socket has taken so many bytes more. */
    void reached(long position, long bytes) {
        untold = rights.hasRate() ? untold + bytes : 0;
        if (holdsBack) {
            shared.gate().wakeIfRoom(position);
        }
    }

    /** Begins a pause if the identity has had more than its share for now, and returns whether. The next tick looks again. */
    boolean pauseIfSpent(long behind) {
        if (!rights.hasRate()) {
            return false;
        }
        if (behind <= 0) {
            paused = false;
            return false;
        }
        long now = clock.nanoTime();
        if (!rights.isPaused(now)) {
            // Even 0 bytes: other connections of the identity may have used the rate.
            rights.spend(untold, now);
            untold = 0;
        }
        boolean spent = rights.isPaused(now);
        paused |= spent;
        return spent;
    }

    /** The subscriber makes progress, or need not make any. */
    void progress(long nowNanos) {
        progressNanos = nowNanos;
    }

    /** Returns whether the subscriber has stood still too long for those who wait since then. */
    boolean stalls(long sinceNanos, long nowNanos) {
        return nowNanos - Math.max(progressNanos, sinceNanos) > shared.stallNanos();
    }
}
