package dev.msgrelay.client;

import java.time.Duration;

/**
 * The number of tries, and the waits between them, after a connection has failed or was lost. Immutable.
 *
 * <pre>{@code
 * SubscriberOptions.builder("127.0.0.1:7400")
 *         .reconnect(ReconnectPolicy.rounds(5).withDelays(Duration.ofMillis(50), Duration.ofSeconds(2)));
 * }</pre>
 *
 * <p>One round goes through the whole list of endpoints once, without a wait between them. Before each round but a
 * client's very first there is a wait: {@code firstDelay}, doubled from round to round up to {@code longestDelay}, less
 * a random share, so that many clients of one relay do not come back at the same moment. The count starts anew once a
 * connection brings input after it has lived for {@code longestDelay}, at most for ten seconds.
 *
 * <p>A relay that is full may tell a time. Its endpoint is then connected again no sooner, and a random share later,
 * but after {@code longestDelay} at most.
 *
 * @param rounds rounds after a loss, or after the first round has failed, until the client gives up; 0: none; {@link
 *     #ENDLESS}: no end
 * @param firstDelay the wait before the first of these rounds
 * @param longestDelay the longest wait
 * @param jitter the largest share that is taken off a wait at random, 0..1
 */
public record ReconnectPolicy(int rounds, Duration firstDelay, Duration longestDelay, double jitter) {
    /** The value of {@link #rounds} of a client that never gives up. */
    public static final int ENDLESS = Integer.MAX_VALUE;

    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);
    private static final double JITTER = 0.5;

    /** Limit that keeps doubled nanoseconds within a long; any delay has reached its longest by then. */
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

    /** Tries every endpoint once at the start; a lost connection is not made again. */
    public static ReconnectPolicy none() {
        return rounds(0);
    }

    /** Allows {@code most} rounds; waits of 100 ms at first, up to 10 s, less up to half of it at random. */
    public static ReconnectPolicy rounds(int most) {
        return new ReconnectPolicy(most, FIRST_DELAY, LONGEST_DELAY, JITTER);
    }

    /** Waits as {@link #rounds(int)}, and never gives up. */
    public static ReconnectPolicy endless() {
        return rounds(ENDLESS);
    }

    /** Time that a connection has to work before the count starts anew, in nanoseconds. */
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
     * The wait before a round, in nanoseconds.
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

    /**
     * The wait before the next try of an endpoint whose relay has told a time, in nanoseconds.
     *
     * @param told the relay's time in nanoseconds
     * @param random 0 inclusive to 1 exclusive
     */
    long toldDelayNanos(long told, double random) {
        long longest = longestDelay.toNanos();
        return told > longest
                ? (long) (longest * (1 - jitter * random))
                : (long) Math.min(longest, told * (1 + jitter * random));
    }
}
