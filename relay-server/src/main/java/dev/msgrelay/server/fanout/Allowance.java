package dev.msgrelay.server.fanout;

import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Standing;
import dev.msgrelay.server.flow.WindowGate;
import io.netty.util.concurrent.Ticker;

/**
 * How slow a subscriber may be: what its policy says, how far behind and how fast its identity may be sent to, and how long it
 * may stand still while others wait for it. Owned by the subscriber's thread; {@link #policy} may be asked by any.
 */
final class Allowance {
    /** One that was behind goes back to its loop when it has this part of the log left: enough room, should that be late. */
    private static final int NEAR = 4;

    private final Standing standing;
    private final WindowGate.Limit subscriber;
    private final long logBytes;
    private final long stallNanos;
    private final Ticker clock;
    private volatile SlowPolicy policy;
    // Whether its policy knows of it, and may hold the log back for it.
    private boolean joined;
    private long progressNanos;

    // With a limit of its rate: bytes that have not been told yet; whether it was paused since it was at the head last.
    private long untold;
    private boolean paused;

    /**
     * @param subscriber as its policy knows it
     * @param logBytes that anybody may be behind
     * @param stallNanos that it may stand still while others wait
     */
    Allowance(
            Standing standing,
            WindowGate.Limit subscriber,
            SlowPolicy policy,
            long logBytes,
            long stallNanos,
            Ticker clock) {
        this.standing = standing;
        this.subscriber = subscriber;
        this.policy = policy;
        this.logBytes = logBytes;
        this.stallNanos = stallNanos;
        this.clock = clock;
    }

    // ---- its policy --------------------------------------------------------------------------------------------

    SlowPolicy policy() {
        return policy;
    }

    /** It has another one, which it has not joined yet. */
    void change(SlowPolicy to) {
        leave();
        policy = to;
    }

    /** From here on the log may be held back for it. */
    void join() {
        joined = true;
        // Publishers may have waited for others for long.
        progressNanos = clock.nanoTime();
        policy.joined(subscriber);
    }

    boolean joined() {
        return joined;
    }

    /** The log is not held back for it any more. */
    void leave() {
        if (joined) {
            joined = false;
            policy.left(subscriber);
        }
    }

    // ---- how far, how fast -------------------------------------------------------------------------------------

    /** Whether that is further behind than its identity may be. */
    boolean lags(long behind) {
        return behind > standing.maxLag();
    }

    /** Whether that is close enough to the head to go on without the journal. */
    boolean isNear(long behind) {
        return behind <= Math.min(logBytes, standing.maxLag()) / NEAR;
    }

    /** Why it is cut off. */
    Refusal tooSlow() {
        return standing.tooFarBehind(logBytes, paused);
    }

    /** It stands here, and the socket has taken so many bytes more. */
    void moved(long position, long bytes) {
        untold = standing.hasRate() ? untold + bytes : 0;
        policy.moved(position);
    }

    /** Whether its identity has had more than its share for now. The loop's next tick looks again. */
    boolean pauses(long behind) {
        if (!standing.hasRate()) {
            return false;
        }
        if (behind <= 0) {
            paused = false;
            return false;
        }
        long now = clock.nanoTime();
        if (!standing.isPaused(now)) {
            // Also without any: others of its identity may have moved some.
            standing.moved(untold, now);
            untold = 0;
        }
        boolean pauses = standing.isPaused(now);
        paused |= pauses;
        return pauses;
    }

    // ---- how long ----------------------------------------------------------------------------------------------

    /** It makes progress, or need not make any. */
    void progress(long nowNanos) {
        progressNanos = nowNanos;
    }

    /** Whether it has stood still too long for those who wait since then. */
    boolean stalls(long sinceNanos, long nowNanos) {
        return nowNanos - Math.max(progressNanos, sinceNanos) > stallNanos;
    }
}
