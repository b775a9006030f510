package dev.msgrelay.client;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Logs the gaps of a subscriber without a listener: the first at once, then at most one line in ten seconds; nothing of
 * those that are no loss.
 */
final class GapLog implements Consumer<Gap> {
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<String> log;
    private final LongSupplier clock;
    private long loggedAt;
    private long unlogged;

    GapLog(Consumer<String> log, LongSupplier clock) {
        this.log = log;
        this.clock = clock;
        this.loggedAt = clock.getAsLong() - EVERY_NANOS;
    }

    @Override
    public void accept(Gap gap) {
        if (!gap.isLoss()) {
            return;
        }
        long now = clock.getAsLong();
        if (now - loggedAt < EVERY_NANOS) {
            unlogged += gap.count();
            return;
        }
        String others = unlogged == 0 ? "" : "; and " + unlogged + " more since the last such line";
        log.accept(gap.text() + others);
        loggedAt = now;
        unlogged = 0;
    }
}
