package dev.msgrelay.client;

import java.util.random.RandomGenerator;

/** Counts tries against a {@link ReconnectPolicy}, and says how long to wait before the next. Owned by one thread. */
final class Backoff {
    /** There is no next try. */
    static final long EXHAUSTED = -1;

    /** How many failures in a row are taken where trying again is only a hope. */
    static final int FEW = 5;

    private final ReconnectPolicy policy;
    private final int endpoints;
    private final RandomGenerator random;

    // Until the first connection: the first round comes at once, and beside those of the policy.
    private boolean beginning = true;
    private int tries;
    private int hopes;

    Backoff(ReconnectPolicy policy, int endpoints, RandomGenerator random) {
        this.policy = policy;
        this.endpoints = endpoints;
        this.random = random;
    }

    /** Nanoseconds to wait before the first try or, after a failure, before the next one; or {@link #EXHAUSTED}. */
    long next(RetryAdvice advice) {
        if (advice == RetryAdvice.STOP || advice.isFew() && ++hopes > FEW) {
            return EXHAUSTED;
        }
        int round = tries / endpoints - (beginning ? 1 : 0);
        if (round >= policy.rounds() && policy.rounds() != ReconnectPolicy.ENDLESS) {
            return EXHAUSTED;
        }
        boolean startsRound = tries % endpoints == 0;
        // After billions of tries the count stays at a multiple of the list.
        tries = tries < Integer.MAX_VALUE - endpoints ? tries + 1 : endpoints;
        if (!startsRound || round < 0) {
            return 0;
        }
        return policy.delayNanos(advice.isSlow() ? Integer.MAX_VALUE : round, random.nextDouble());
    }

    /** A connection was made: from now on every try is one after a loss. */
    void welcomed() {
        if (beginning) {
            beginning = false;
            tries = 0;
        }
    }

    /** A connection has worked for a while: the count starts anew. */
    void steady() {
        beginning = false;
        tries = 0;
        hopes = 0;
    }
}
