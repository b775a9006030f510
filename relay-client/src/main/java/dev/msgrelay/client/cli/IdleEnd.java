package dev.msgrelay.client.cli;

import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.text.Durations;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The end of {@code subscribe --idle}: no message came for so long, since the first connection or the last message, or
 * since the start where the first connection fails. The connect and handshake time-outs bound a connection that is only
 * slow. Owned by one thread.
 */
final class IdleEnd {
    private final Optional<Duration> limit;
    private final LongSupplier clock;
    private long sinceNanos;
    private boolean begun;
    private boolean over;
    private String trouble = "";
    private String refusal = "";

    /** @param limit longest silence; empty: any */
    IdleEnd(Optional<Duration> limit) {
        this(limit, System::nanoTime);
    }

    IdleEnd(Optional<Duration> limit, LongSupplier clock) {
        this.limit = limit;
        this.clock = clock;
        this.sinceNanos = clock.getAsLong();
    }

    /** As {@link RelaySubscriber#poll}, no longer than the silence may last. */
    int poll(RelaySubscriber subscriber, MessageHandler handler) throws IOException {
        if (limit.isEmpty()) {
            return subscriber.poll(handler);
        }
        int n = subscriber.poll(handler, left(limit.get()));
        polled(n);
        return n;
    }

    private Duration left(Duration longest) {
        if (!begun) {
            return longest;
        }
        Duration left = longest.minusNanos(clock.getAsLong() - sinceNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Takes note of the number of messages that a poll brought, the last one of them just now. */
    void polled(int messages) {
        long now = clock.getAsLong();
        if (messages > 0) {
            sinceNanos = now;
        }
        over = !refusal.isEmpty()
                || begun && now - sinceNanos >= limit.orElseThrow().toNanos();
    }

    void event(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected) {
            sinceNanos = begun ? sinceNanos : clock.getAsLong();
            begun = true;
            trouble = "";
            refuse(connected.welcome().intervalMillis());
        } else if (event instanceof SessionEvent.Lost lost) {
            begun = true;
            trouble = lost.text();
        }
    }

    /** Ends the run where the relay's interval is as long as the silence that would end it: every tick would be it. */
    private void refuse(int intervalMillis) {
        Duration interval = Duration.ofMillis(intervalMillis);
        refusal = limit.filter(longest -> !interval.isZero() && longest.compareTo(interval) <= 0)
                .map(longest ->
                        "--idle " + Durations.format(longest) + " is not over the interval that the relay grants, "
                                + Durations.format(interval) + ": nothing comes between two of its sendings")
                .orElse("");
    }

    boolean isOver() {
        return over;
    }

    /**
     * The end of the run.
     *
     * @param came whether a message came
     * @param wanted messages that were to come as well, in words; empty: none
     * @throws IOException there is no connection, its interval is too long, or what was to come did not
     */
    void check(boolean came, String wanted) throws IOException {
        if (!refusal.isEmpty()) {
            throw new IOException(refusal);
        }
        String silence = "no message for " + Durations.format(limit.orElseThrow());
        if (!trouble.isEmpty()) {
            throw new IOException(silence + ": " + trouble);
        }
        if (!came || !wanted.isEmpty()) {
            throw new CodedException(ExitCodes.MISSED, silence + wanted);
        }
    }
}
