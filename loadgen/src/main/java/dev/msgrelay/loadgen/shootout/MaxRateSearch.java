package dev.msgrelay.loadgen.shootout;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Looks for the highest rate that passes: doubling (or halving) until a rate that passes and one that fails enclose it,
 * then bisection on a logarithmic scale. A rate passes when {@link #PASSES} of at most {@link #TRIES} tries pass: one
 * of them may have met a busy machine. On the way up one try is enough; what it comes to is tried as often as it takes.
 * Bounded in runs and in time. One thread owns it; it knows no clock but the one it is given.
 *
 * <pre>
 *  1000 ok  2000 ok  4000 ok  8000 failed, failed        doubling
 *  4000 ok, ok                                           3 of 3: it passes
 *  5657 ok, failed, ok, ok  6727 failed, failed  ...     bisection
 * </pre>
 */
public final class MaxRateSearch {
    /** Of the tries of a rate so many have to pass. */
    static final int PASSES = 3;

    /** A rate is tried so often at most. */
    static final int TRIES = 4;

    private final Bounds bounds;
    private final Probe probe;
    private final LongSupplier clock;
    private final List<Attempt> attempts = new ArrayList<>();
    private int runs;
    private long begun;
    private long longestTry;

    /** Who tries a rate. */
    @FunctionalInterface
    public interface Probe {
        /**
         * Tries it.
         *
         * @param mostRuns it may take, at least 1: a run that met a busy machine may be repeated
         */
        Try tried(long rate, int mostRuns) throws IOException, RunException, InterruptedException;
    }

    /**
     * What came of one try.
     *
     * @param failure why the rate did not pass, one line; empty where it did
     * @param runs that it took
     * @param p99Nanos of the one that counts
     */
    public record Try(String failure, int runs, long p99Nanos) {}

    /**
     * Where it looks, and for how long.
     *
     * @param start the first rate
     * @param lowest no rate below is tried
     * @param highest no rate above is tried
     * @param resolution how near the failing rate has to be to the passing one, as a fraction: 0.05
     * @param probes runs at most
     * @param nanos at most so long; a try that would probably take longer is not begun
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
    public record Attempt(long rate, String failure, long p99Nanos) {
        public boolean passed() {
            return failure.isEmpty();
        }
    }

    public enum Ending {
        /** A rate that passes, and one just above it that does not. */
        FOUND("found"),
        /** The highest rate that may be tried passes: the true one may be higher. */
        AT_HIGHEST("passes at the highest rate that may be tried"),
        /** Not even the lowest rate passes. */
        NEVER_PASSED("not even the lowest rate passes"),
        /** Runs or time ran out. */
        CUT_SHORT("cut short: out of runs or time");

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
     * @param rate the highest that passes, or 0; of a search that was cut short the highest that passed more often than not
     * @param attempts all of them, in their order
     * @param notes how far the tries of the rate that was found lay apart, and which rates passed and failed
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
        Deque<Long> below = new ArrayDeque<>();
        long failed = climb(below);
        long passed = below.isEmpty() ? lower(failed) : below.pop();
        while (passed > 0 && !isExhausted() && !passes(passed)) {
            if (!isExhausted()) {
                failed = passed;
                passed = below.isEmpty() ? lower(failed) : below.pop();
            }
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
        if (!hasPassed(passed) || failed > passed * (1 + bounds.resolution()) && failed - passed > 1) {
            return soFar();
        }
        return result(passed, failed == 0 ? Ending.AT_HIGHEST : Ending.FOUND);
    }

    /**
     * Doubles while a try passes.
     *
     * @param below gets the rates that did, the highest first
     * @return the rate that failed; 0 where none did
     */
    private long climb(Deque<Long> below) throws IOException, RunException, InterruptedException {
        long rate = bounds.start();
        while (!isExhausted()) {
            if (!attempt(rate).passed() && !passes(rate)) {
                return isExhausted() && !hasFailed(rate) ? 0 : rate;
            }
            below.push(rate);
            if (rate == bounds.highest()) {
                return 0;
            }
            rate = rate > bounds.highest() / 2 ? bounds.highest() : 2 * rate;
        }
        return 0;
    }

    /** Half of it; 0 where nothing below may be tried. */
    private long lower(long rate) {
        return rate <= bounds.lowest() ? 0 : Math.max(bounds.lowest(), rate / 2);
    }

    /** Tries until it is decided; false also where nothing may be tried any more. */
    private boolean passes(long rate) throws IOException, RunException, InterruptedException {
        while (!hasPassed(rate) && !hasFailed(rate) && !isExhausted()) {
            attempt(rate);
        }
        return hasPassed(rate);
    }

    private boolean hasPassed(long rate) {
        return count(rate, true) >= PASSES;
    }

    private boolean hasFailed(long rate) {
        return count(rate, false) > TRIES - PASSES;
    }

    private long count(long rate, boolean passed) {
        return attempts.stream()
                .filter(attempt -> attempt.rate() == rate && attempt.passed() == passed)
                .count();
    }

    private Attempt attempt(long rate) throws IOException, RunException, InterruptedException {
        long start = clock.getAsLong();
        Try tried = probe.tried(rate, bounds.probes() - runs);
        runs += tried.runs();
        longestTry = Math.max(longestTry, clock.getAsLong() - start);
        Attempt attempt = new Attempt(rate, tried.failure(), tried.p99Nanos());
        attempts.add(attempt);
        return attempt;
    }

    private boolean isExhausted() {
        return runs >= bounds.probes() || clock.getAsLong() - begun + longestTry > bounds.nanos();
    }

    /** What has come of it by now, where it is cut short or a try threw. */
    public Result soFar() {
        long highest = attempts.stream()
                .mapToLong(Attempt::rate)
                .filter(rate -> count(rate, true) > count(rate, false))
                .max()
                .orElse(0);
        return result(highest, Ending.CUT_SHORT);
    }

    private Result result(long rate, Ending ending) {
        return new Result(rate, ending, attempts, notes(rate));
    }

    private List<String> notes(long found) {
        List<String> notes = new ArrayList<>();
        if (found > 0) {
            LongSummaryStatistics p99 = attempts.stream()
                    .filter(attempt -> attempt.rate() == found)
                    .mapToLong(Attempt::p99Nanos)
                    .summaryStatistics();
            notes.add(format(
                    "at %,d %d of %d runs passed, with p99s from %.2f to %.2f ms",
                    found, count(found, true), p99.getCount(), p99.getMin() / 1e6, p99.getMax() / 1e6));
        }
        attempts.stream()
                .filter(attempt -> !attempt.passed() && count(attempt.rate(), true) > 0)
                .collect(Collectors.groupingBy(
                        Attempt::rate,
                        LinkedHashMap::new,
                        Collectors.mapping(Attempt::failure, Collectors.joining("; "))))
                .forEach((rate, why) -> notes.add(format(
                        "%,d passed %d of %d times, %d have to pass of %d; failed: %s",
                        rate, count(rate, true), count(rate, true) + count(rate, false), PASSES, TRIES, why)));
        return notes;
    }
}
