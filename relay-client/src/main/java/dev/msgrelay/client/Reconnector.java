package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The next endpoint to connect to, and the time for it. After a connection that worked the same endpoint comes first,
 * since its relay holds the next messages. The next endpoint's turn comes after GOAWAY, after a failed try, and if a
 * relay cuts one connection after the other. Owned by one thread.
 */
final class Reconnector {
    private static final int NOTHING_TOLD = -1;

    /** Ends before WELCOME in a row after which the relay may know no HELLO: once, it may be starting or stopping. */
    static final int UNANSWERED = 3;

    private final List<Endpoint> endpoints;
    private final Backoff backoff;
    private final LongSupplier clock;
    private final long steadyNanos;

    // The earliest time for each endpoint.
    private final long[] notBefore;

    private int index;
    private long due;
    private long welcomedAt;
    private boolean progressed;
    private boolean steady;
    // Connections in a row that brought input, and did not live for long.
    private int shortLived;
    private boolean leaving;
    // RETRY_AFTER of the present connection, in ms.
    private int told = NOTHING_TOLD;
    private boolean everWelcomed;
    private int unanswered;

    Reconnector(List<Endpoint> endpoints, ReconnectPolicy policy, RandomGenerator random, LongSupplier clock) {
        this.endpoints = endpoints;
        this.backoff = new Backoff(policy, endpoints.size(), random);
        this.clock = clock;
        this.steadyNanos = policy.steadyNanos();
        this.welcomedAt = clock.getAsLong();
        this.due = welcomedAt + backoff.next(RetryAdvice.AGAIN, false);
        this.notBefore = new long[endpoints.size()];
        Arrays.fill(notBefore, due);
    }

    /** The endpoint that is connected, or next. */
    Endpoint current() {
        return endpoints.get(index);
    }

    /** Nanoseconds until the next try; 0 or less: now. */
    long waitNanos() {
        return due - clock.getAsLong();
    }

    /** Takes note of WELCOME, or of a plain connection. */
    void welcomed() {
        everWelcomed = true;
        welcomedAt = clock.getAsLong();
        backoff.welcomed();
    }

    /**
     * Takes note of input after WELCOME. The count of tries starts anew only if the connection has lived for a while by
     * then: a relay that welcomes, sends a message and closes would be tried for ever otherwise.
     */
    void progressed() {
        progressed = true;
        if (!steady && clock.getAsLong() - welcomedAt >= steadyNanos) {
            steady = true;
            shortLived = 0;
            backoff.steady();
        }
    }

    /**
     * Takes note that the client itself gave up the connection: the next one is due at once, and does not count as a
     * try.
     */
    void dropped() {
        noteTold();
        due = later(clock.getAsLong(), notBefore[index]);
        progressed = false;
        steady = false;
        leaving = false;
    }

    /** Takes note of GOAWAY. If only the connection's TLS key is used up, the same endpoint comes next. */
    void leaving(GoAwayFrame goAway) {
        leaving = goAway.code() != CloseReason.TLS_KEY_USED_UP.code();
    }

    /** Takes note of RETRY_AFTER: the time counts from the end of the connection. */
    void retryAfter(int millis) {
        told = millis;
    }

    private void noteTold() {
        if (told != NOTHING_TOLD) {
            notBefore[index] = clock.getAsLong() + backoff.delayNanos(told);
            told = NOTHING_TOLD;
        }
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    /**
     * Takes note of a failed try, or of a lost connection.
     *
     * @return whether there will be another try
     */
    boolean failed(IOException end) {
        RetryAdvice advice = RetryAdvice.of(end);
        boolean wasTold = told != NOTHING_TOLD;
        noteTold();
        shortLived = progressed && !steady ? shortLived + 1 : 0;
        if (!progressed || shortLived > 1 || leaving || advice != RetryAdvice.AGAIN || isShutdown(end)) {
            index = (index + 1) % endpoints.size();
        }
        progressed = false;
        steady = false;
        leaving = false;
        long wait = backoff.next(advice, wasTold);
        if (wait == Backoff.EXHAUSTED) {
            return false;
        }
        due = later(clock.getAsLong() + wait, notBefore[index]);
        return true;
    }

    /** Takes the end of a try or connection, before {@link #failed}; returns it with what several of them mean. */
    IOException explained(IOException end) {
        if (!(end instanceof NoWelcomeException)) {
            // Another failure in between, such as a refused connect: a relay is starting again and again.
            unanswered = 0;
            return end;
        }
        if (everWelcomed || ++unanswered < UNANSWERED) {
            return end;
        }
        return new NoWelcomeException(
                end.getMessage() + "; " + unanswered
                        + " connections in a row ended so: the relay may know no HELLO."
                        + " The plain mode, plain() or --plain, needs none",
                end);
    }

    private static boolean isShutdown(IOException end) {
        return end instanceof RelayErrorException error && error.reason() == CloseReason.SHUTDOWN;
    }
}
