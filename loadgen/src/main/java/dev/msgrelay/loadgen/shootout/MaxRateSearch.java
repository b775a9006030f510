package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Looks for the highest rate that passes: doubling (or halving) until a rate that passes and one that fails enclose it,
 * then bisection on a logarithmic scale, then a confirmation at what was found. A probe that fails is repeated once,
 * because a busy machine fails one now and then; a confirmation that fails twice moves the result down. Bounded in
 * probes and in time. One thread owns it; it knows no clock but the one it is given.
 *
 * <pre>
 *  1000 ok  2000 ok  4000 ok  8000 failed, failed again        doubling
 *           5657 ok  6727 failed, failed again  6169 ok ...    bisection
 *           6169 ok                                            confirmation
 * </pre>
 */
public final class MaxRateSearch {
    private static final int MAX_STEPS_DOWN = 3;

    private final Bounds bounds;
    private final Probe probe;
    private final LongSupplier clock;
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private long begun;
    private long longestProbe;

    /** A run at a rate. */
    @FunctionalInterface
    public interface Probe {
        /**
         * Tries it.
         *
         * @return why the rate did not pass, one line; empty where it did
         */
        String failure(long rate) throws IOException, RunException, InterruptedException;
    }

    /**
     * Where it looks, and for how long.
     *
     * @param start the first rate
     * @param lowest no rate below is tried
     * @param highest no rate above is tried
     * @param resolution how near the failing rate has to be to the passing one, as a fraction: 0.05
     * @param probes at most so many, repeats and confirmation included
     * @param nanos at most so long; a probe that would probably take longer is not begun
     */
    public record Bounds(long start, long lowest, long highest, double resolution, int probes, long nanos) {
        /**
         * @throws IllegalArgumentException naming the value and its limits
         */
        public Bounds {
            if (lowest < 1 || start < lowest || highest < start) {
                throw new IllegalArgumentException(
                        "start " + start + " is not within " + lowest + ".." + highest + ", both above 0");
            }
            if (resolution <= 0 || resolution >= 1) {
                throw new IllegalArgumentException("resolution " + resolution + " is not within 0..1, ends excluded");
            }
        }
    }

    /**
     * One try.
     *
     * @param failure empty where it passed
     */
    public record Attempt(long rate, String failure) {
        public boolean passed() {
            return failure.isEmpty();
        }
    }

    /** How far the search came. */
    public enum Ending {
        /** A confirmed rate, and a rate just above it that failed. */
        FOUND("found"),
        /** The highest rate that may be tried passes: the true one may be higher. */
        AT_HIGHEST("passes at the highest rate that may be tried"),
        /** Not even the lowest rate passes. */
        NEVER_PASSED("not even the lowest rate passes"),
        /** What had passed does not pass any more, and neither does what lies a few steps below. */
        NOT_CONFIRMED("not confirmed: what passed before failed later"),
        /** Probes or time ran out. */
        CUT_SHORT("cut short: out of probes or time");

        private final String text;

        Ending(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * What came of it.
     *
     * @param rate the highest that passed when it was last tried, or 0; confirmed when the ending is FOUND or AT_HIGHEST
     * @param attempts all of them, in their order
     * @param notes what did not fit a rate below which all passes and above which all fails
     */
    public record Result(long rate, Ending ending, List<Attempt> attempts, List<String> notes) {
        public Result {
            attempts = List.copyOf(attempts);
            notes = List.copyOf(notes);
        }
    }

    /**
     * @param clock nanoseconds, as {@link System#nanoTime}
     */
    public MaxRateSearch(Bounds bounds, Probe probe, LongSupplier clock) {
        this.bounds = bounds;
        this.probe = probe;
        this.clock = clock;
    }

    /** Searches; may be called once. */
    public Result run() throws IOException, RunException, InterruptedException {
        begun = clock.getAsLong();
        long[] range = enclose();
        long passed = range[0];
        long failed = range[1];
        if (isExhausted()) {
            return soFar();
        }
        if (passed == 0) {
            return result(0, Ending.NEVER_PASSED);
        }
        while (failed > 0 && failed > passed * (1 + bounds.resolution()) && failed - passed > 1 && !isExhausted()) {
            long middle = Math.max(passed + 1, Math.round(Math.sqrt((double) passed * failed)));
            if (passes(middle)) {
                passed = middle;
            } else if (!isExhausted()) {
                failed = middle;
            }
        }
        return confirm(passed, failed == 0 ? Ending.AT_HIGHEST : Ending.FOUND);
    }

    /** A rate that passes and a higher one that fails; 0 for either where there is none. */
    private long[] enclose() throws IOException, RunException, InterruptedException {
        long rate = bounds.start();
        boolean first = passes(rate);
        long passed = first ? rate : 0;
        long failed = first ? 0 : rate;
        while (first && failed == 0 && passed < bounds.highest() && !isExhausted()) {
            rate = passed > bounds.highest() / 2 ? bounds.highest() : 2 * passed;
            if (passes(rate)) {
                passed = rate;
            } else if (!isExhausted()) {
                failed = rate;
            }
        }
        while (!first && passed == 0 && failed > bounds.lowest() && !isExhausted()) {
            rate = Math.max(bounds.lowest(), failed / 2);
            if (passes(rate)) {
                passed = rate;
            } else {
                failed = rate;
            }
        }
        return new long[] {passed, failed};
    }

    private Result confirm(long found, Ending ending) throws IOException, RunException, InterruptedException {
        long rate = found;
        for (int down = 0; down <= MAX_STEPS_DOWN; down++) {
            if (isExhausted()) {
                return soFar();
            }
            if (passes(rate)) {
                return result(rate, down == 0 ? ending : Ending.FOUND);
            }
            if (isExhausted()) {
                return soFar();
            }
            notes.add(text("not monotonic: %,d passed before and failed when it was to be confirmed", rate));
            long lower = (long) (rate / (1 + bounds.resolution()));
            if (lower < bounds.lowest()) {
                break;
            }
            rate = lower;
        }
        return result(0, Ending.NOT_CONFIRMED);
    }

    /** One probe, and a second one where the first one fails; false also where nothing may be tried any more. */
    private boolean passes(long rate) throws IOException, RunException, InterruptedException {
        if (isExhausted()) {
            return false;
        }
        Attempt first = attempt(rate);
        if (first.passed() || isExhausted()) {
            return first.passed();
        }
        Attempt second = attempt(rate);
        if (second.passed()) {
            notes.add(text("%,d failed once (%s) and passed when repeated", rate, first.failure()));
        }
        return second.passed();
    }

    private Attempt attempt(long rate) throws IOException, RunException, InterruptedException {
        long start = clock.getAsLong();
        Attempt attempt = new Attempt(rate, probe.failure(rate));
        longestProbe = Math.max(longestProbe, clock.getAsLong() - start);
        attempts.add(attempt);
        return attempt;
    }

    private boolean isExhausted() {
        return attempts.size() >= bounds.probes() || clock.getAsLong() - begun + longestProbe > bounds.nanos();
    }

    /**
     * What has come of it by now, where it is cut short or a probe threw: the highest rate whose last try passed. One that
     * failed since is not known to pass.
     */
    public Result soFar() {
        Map<Long, Boolean> last = new HashMap<>();
        attempts.forEach(attempt -> last.put(attempt.rate(), attempt.passed()));
        long highest = last.entrySet().stream()
                .filter(Map.Entry::getValue)
                .mapToLong(Map.Entry::getKey)
                .max()
                .orElse(0);
        return result(highest, Ending.CUT_SHORT);
    }

    private Result result(long rate, Ending ending) {
        return new Result(rate, ending, attempts, notes);
    }

    private static String text(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
