package dev.msgrelay.server.figures;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The {@link Counter}s that no other object keeps. Any thread adds to them. */
public final class Counters {
    /** Upper bounds of the two histograms, in seconds. */
    public static final List<Double> BOUNDS = List.of(
            0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
            0.5, 1.0);

    private final Map<Counter, LongAdder> adders = new EnumMap<>(Counter.class);
    // Only the core adds to these two histograms.
    private final TimeHistogram acknowledgements = new TimeHistogram(BOUNDS);
    private final TimeHistogram transits = new TimeHistogram(BOUNDS);

    public Counters() {
        for (Counter counter : Counter.values()) {
            adders.put(counter, new LongAdder());
        }
    }

    /** Returns the adder of a counter, for a caller that adds to it often. */
    public LongAdder adder(Counter counter) {
        return adders.get(counter);
    }

    public void add(Counter counter, long amount) {
        adder(counter).add(amount);
    }

    public void increment(Counter counter) {
        adder(counter).increment();
    }

    public TimeHistogram acknowledgements() {
        return acknowledgements;
    }

    public TimeHistogram transits() {
        return transits;
    }

    public long sum(Counter counter) {
        return adder(counter).sum();
    }
}
