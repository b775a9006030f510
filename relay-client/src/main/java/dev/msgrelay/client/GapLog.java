package dev.msgrelay.client;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the gaps of a subscriber without a listener: the first at once, then at most one line in ten seconds. */
final class GapLog implements Consumer<Gap> {
    private static final Logger LOG = LoggerFactory.getLogger(Gap.class);
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier clock;
    private long loggedAt;
    private long unlogged;

    GapLog(LongSupplier clock) {
        this.clock = clock;
        this.loggedAt = clock.getAsLong() - EVERY_NANOS;
    }

    @Override
    public void accept(Gap gap) {
        long now = clock.getAsLong();
        if (now - loggedAt < EVERY_NANOS) {
            unlogged += gap.count();
            return;
        }
        if (unlogged > 0) {
            LOG.warn("{}; and {} messages since the last such line", gap.text(), unlogged);
        } else {
            LOG.warn("{}", gap.text());
        }
        loggedAt = now;
        unlogged = 0;
    }
}
