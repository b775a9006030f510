package dev.msgrelay.client;

import java.time.Duration;

/**
 * How often, and how soon, a connection that failed or was lost is tried again. Immutable.
 *
 * <p>One round goes through the whole list of endpoints once, without a wait between them. Before each round but a
 * client's very first there is a wait: {@code firstDelay}, doubled from round to round up to {@code longestDelay}, less a
 * random share, so that many clients of one relay do not come back at the same moment. A connection that still brings
 * something when it has lived for {@code longestDelay}, or for ten seconds where that is longer, starts the count anew.
 *
 * @param rounds rounds after a connection was lost, or after the first round failed, until the client gives up; 0:
 *     none; {@link #ENDLESS}
 * @param firstDelay the wait before the first of them
 * @param longestDelay what it grows to at most
 * @param jitter the largest share of the wait that is left out at random, 0..1
 */
public record ReconnectPolicy(int rounds, Duration firstDelay, Duration longestDelay, double jitter) {
    /** For {@link #rounds}: never give up. */
    public static final int ENDLESS = Integer.MAX_VALUE;

    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);
    private static final double JITTER = 0.5;

    /** Beyond it a doubled nanosecond would no longer fit a long; any delay has reached its longest by then. */
    private static final int MOST_DOUBLINGS = 30;

    public ReconnectPolicy {
        if (rounds < 0) {
            throw new IllegalArgumentException("rounds " + rounds + " is negative");
        }
        Timeouts.check("firstDelay", firstDelay);
        Timeouts.check("longestDelay", longestDelay);
        if (longestDelay.compareTo(firstDelay) < 0) {
            throw new IllegalArgumentException("longestDelay " + longestDelay + " is under firstDelay " + firstDelay);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("jitter " + jitter + " is not within 0..1");
        }
    }

    /** Every endpoint is tried once to begin with; a connection that is lost is not made again. */
    public static ReconnectPolicy none() {
        return rounds(0);
    }

    /** So many rounds; 100 ms to begin with, 10 s at most, up to half of it left out at random. */
    public static ReconnectPolicy rounds(int most) {
        return new ReconnectPolicy(most, FIRST_DELAY, LONGEST_DELAY, JITTER);
    }

    /** As {@link #rounds(int)}, for ever. */
    public static ReconnectPolicy endless() {
        return rounds(ENDLESS);
    }

    /** How long a connection has to work before the count starts anew. */
    long steadyNanos() {
        return Math.min(longestDelay.toNanos(), LONGEST_DELAY.toNanos());
    }

    public ReconnectPolicy withDelays(Duration first, Duration longest) {
        return new ReconnectPolicy(rounds, first, longest, jitter);
    }

    public ReconnectPolicy withJitter(double share) {
        return new ReconnectPolicy(rounds, firstDelay, longestDelay, share);
    }

    /**
     * The wait before a round.
     *
     * @param round from 0
     * @param random 0 inclusive to 1 exclusive
     */
    long delayNanos(int round, double random) {
        long longest = longestDelay.toNanos();
        long first = firstDelay.toNanos();
        long delay = round > MOST_DOUBLINGS || first > longest >> round ? longest : first << round;
        return (long) (delay * (1 - jitter * random));
    }
}
