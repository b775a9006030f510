package dev.msgrelay.client;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Counts tries by a {@link ReconnectPolicy}, and computes the wait before the next one. Owned by one thread. */
final class Backoff {
    /** The value of {@link #next} if there is no next try. */
    static final long EXHAUSTED = -1;

    /** Most failures in a row of a kind for which another try is only a hope. */
    static final int FEW = 5;

    private final ReconnectPolicy policy;
    private final int endpoints;
    private final RandomGenerator random;

    // True until the first connection: the first round comes without a wait, and does not count as one of the policy's.
    private boolean beginning = true;
    private int tries;
    private int hopes;

    Backoff(ReconnectPolicy policy, int endpoints, RandomGenerator random) {
        this.policy = policy;
        this.endpoints = endpoints;
        this.random = random;
    }

    /**
     * Nanoseconds to wait before the first try or, after a failure, before the next one; or {@link #EXHAUSTED}.
     *
     * @param told whether the relay has told a time, which takes the place of the longest wait
     */
    long next(RetryAdvice advice, boolean told) {
        if (advice == RetryAdvice.STOP || advice.isFew() && ++hopes > FEW) {
            return EXHAUSTED;
        }
        int round = tries / endpoints - (beginning ? 1 : 0);
        if (round >= policy.rounds() && policy.rounds() != ReconnectPolicy.ENDLESS) {
            return EXHAUSTED;
        }
        boolean startsRound = tries % endpoints == 0;
        // The count stays bounded over billions of tries; a whole round from zero keeps its place in the list.
        tries = tries < Integer.MAX_VALUE - endpoints ? tries + 1 : endpoints;
        if (!startsRound || round < 0) {
            return 0;
        }
        return policy.delayNanos(advice.isSlow() && !told ? Integer.MAX_VALUE : round, random.nextDouble());
    }

    /** Nanoseconds until the next try of an endpoint whose relay has told a time, in ms. */
    long delayNanos(int toldMillis) {
        return policy.toldDelayNanos(TimeUnit.MILLISECONDS.toNanos(toldMillis), random.nextDouble());
    }

    /** Ends the beginning, after the first connection: from now on each try follows a loss. */
    void welcomed() {
        if (beginning) {
            beginning = false;
            tries = 0;
        }
    }

    /** Starts the count anew, after a connection has worked for a while. */
    void steady() {
        beginning = false;
        tries = 0;
        hopes = 0;
    }
}
