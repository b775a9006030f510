package dev.msgrelay.server.figures;

import java.util.concurrent.TimeUnit;

/** A rate limit of {@code perSecond} tokens a second. It holds up to {@code most} tokens. One thread at a time. */
public final class TokenBucket {
    private final long perSecond;
    private final long most;
    private double tokens;
    // The time of the last call. Its first value does not matter, because a new bucket is full.
    private long lastNanos;
    // The number of future tokens that were promised to refused callers.
    private double promised;

    /** @param most number of tokens after a long pause */
    public TokenBucket(long perSecond, long most) {
        this.perSecond = perSecond;
        this.most = most;
        this.tokens = most;
    }

    public boolean tryTake(long nowNanos) {
        fill(nowNanos);
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    /**
     * Returns how long a refused caller should wait before it tries again, in ns. Each further caller waits for a later
     * token, so that callers refused together do not return together. No token is reserved.
     */
    public long promise(long nowNanos, long mostNanos) {
        fill(nowNanos);
        double most = Math.max(1, (double) mostNanos * perSecond / TimeUnit.SECONDS.toNanos(1));
        promised = Math.min(most, promised + 1);
        return Math.min(mostNanos, (long) ((promised - tokens) * TimeUnit.SECONDS.toNanos(1) / perSecond));
    }

    /** Whether the bucket is full, as a new one is. */
    public boolean full(long nowNanos) {
        fill(nowNanos);
        return tokens >= most;
    }

    private void fill(long nowNanos) {
        double more = (double) (nowNanos - lastNanos) * perSecond / TimeUnit.SECONDS.toNanos(1);
        tokens = Math.min(most, tokens + Math.max(0, more));
        promised = Math.max(0, promised - Math.max(0, more));
        lastNanos = nowNanos;
    }
}
