package dev.msgrelay.server.ops;

import java.util.concurrent.TimeUnit;

/** So many a second, and so many at once: time comes as a parameter. One thread at a time. */
final class TokenBucket {
    private final long perSecond;
    private final long most;
    private double tokens;
    private long lastNanos;
    private boolean started;

    /** @param most that may come at once after a pause */
    TokenBucket(long perSecond, long most) {
        this.perSecond = perSecond;
        this.most = most;
    }

    /** Takes one; false where there is none. */
    boolean tryTake(long nowNanos) {
        fill(nowNanos);
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    /** Whether nothing has been taken for so long that it is as good as new. */
    boolean full(long nowNanos) {
        fill(nowNanos);
        return tokens >= most;
    }

    private void fill(long nowNanos) {
        if (!started) {
            started = true;
            tokens = most;
        } else {
            double more = (double) (nowNanos - lastNanos) * perSecond / TimeUnit.SECONDS.toNanos(1);
            tokens = Math.min(most, tokens + Math.max(0, more));
        }
        lastNanos = nowNanos;
    }
}
