package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Where to connect to next, and when. A connection that worked is made again at the same endpoint first, as that relay
 * holds what comes next; after GOAWAY, wherever a try failed, and where the relay cuts one connection after the other, it
 * is the next one's turn. Owned by one thread.
 */
final class Reconnector {
    /** A relay that closes before WELCOME once may be starting or stopping; so often in a row, it knows no HELLO. */
    static final int UNANSWERED = 3;

    private final List<Endpoint> endpoints;
    private final Backoff backoff;
    private final LongSupplier clock;
    private final long steadyNanos;

    private int index;
    private long due;
    private long welcomedAt;
    private boolean progressed;
    private boolean steady;
    // Connections in a row that brought something, and did not live for long.
    private int shortLived;
    private boolean leaving;
    private boolean everWelcomed;
    private int unanswered;

    Reconnector(List<Endpoint> endpoints, ReconnectPolicy policy, RandomGenerator random, LongSupplier clock) {
        this.endpoints = endpoints;
        this.backoff = new Backoff(policy, endpoints.size(), random);
        this.clock = clock;
        this.steadyNanos = policy.steadyNanos();
        this.welcomedAt = clock.getAsLong();
        this.due = welcomedAt + backoff.next(RetryAdvice.AGAIN);
    }

    /** The endpoint whose turn it is, or that is connected. */
    Endpoint current() {
        return endpoints.get(index);
    }

    /** Nanoseconds until it is to be tried; 0 or less: now. */
    long waitNanos() {
        return due - clock.getAsLong();
    }

    /** The relay has answered, or without HELLO the connection was made. */
    void welcomed() {
        everWelcomed = true;
        welcomedAt = clock.getAsLong();
        backoff.welcomed();
    }

    /**
     * More than the answer has come over the connection. The count of tries begins anew only where the connection has lived
     * for a while by then: a relay that answers, sends a message and closes would be tried without an end otherwise.
     */
    void progressed() {
        progressed = true;
        if (!steady && clock.getAsLong() - welcomedAt >= steadyNanos) {
            steady = true;
            shortLived = 0;
            backoff.steady();
        }
    }

    /** The connection was given up for a reason of the client's own: it is made again at once, and does not count. */
    void dropped() {
        due = clock.getAsLong();
        progressed = false;
        steady = false;
        leaving = false;
    }

    /** The relay has announced that it will close; where only the connection's key is used up, it may be had again there. */
    void leaving(GoAwayFrame goAway) {
        leaving = goAway.code() != CloseReason.TLS_KEY_USED_UP.code();
    }

    /**
     * A try failed, or the connection is lost.
     *
     * @return why the client gives up, or null where there will be another try
     */
    IOException failed(IOException end) {
        IOException verdict = verdict(end);
        RetryAdvice advice = RetryAdvice.of(verdict);
        shortLived = progressed && !steady ? shortLived + 1 : 0;
        if (!progressed || shortLived > 1 || leaving || advice != RetryAdvice.AGAIN || isShutdown(end)) {
            index = (index + 1) % endpoints.size();
        }
        progressed = false;
        steady = false;
        leaving = false;
        long wait = backoff.next(advice);
        if (wait == Backoff.EXHAUSTED) {
            return verdict;
        }
        due = clock.getAsLong() + wait;
        return null;
    }

    private IOException verdict(IOException end) {
        if (!(end instanceof NoWelcomeException)) {
            // Where nobody listens in between, a relay is being started again and again.
            unanswered = 0;
            return end;
        }
        if (everWelcomed || ++unanswered < UNANSWERED) {
            return end;
        }
        return new RelayUnsuitableException(
                end.getMessage() + "; " + unanswered
                        + " tries in a row ended so: it seems to be a relay that knows no HELLO."
                        + " The plain mode works with such a one",
                end);
    }

    private static boolean isShutdown(IOException end) {
        return end instanceof RelayErrorException error && error.reason() == CloseReason.SHUTDOWN;
    }
}
