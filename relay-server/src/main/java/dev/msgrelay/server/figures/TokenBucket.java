package dev.msgrelay.server.figures;

import java.util.concurrent.TimeUnit;

/** A rate limit: {@code perSecond} tokens a second, at most {@code most} at once. One thread at a time. */
public final class TokenBucket {
    private final long perSecond;
    private final long most;
    private double tokens;
    // Any value will do before the first call, because the bucket is full then.
    private long lastNanos;
    // The number of future tokens that were promised to refused callers.
    private double promised;

    /** @param most tokens after a long pause */
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
     * The time after which a refused caller may try again, in ns. Each caller is given the time of a later token, so
     * that callers that are refused together do not return together. No token is reserved.
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
