package dev.msgrelay.server.ops;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Sums that are added up on any thread as things happen: the {@link Counter}s that no other object keeps. */
public final class Counters {
    private final Map<Counter, LongAdder> adders = new EnumMap<>(Counter.class);
    private final TimeHistogram acknowledgements = new TimeHistogram();
    private final TimeHistogram transits = new TimeHistogram();

    public Counters() {
        for (Counter counter : Counter.values()) {
            adders.put(counter, new LongAdder());
        }
    }

    public void add(Counter counter, long amount) {
        adders.get(counter).add(amount);
    }

    public void increment(Counter counter) {
        adders.get(counter).increment();
    }

    /** Times of acknowledgements: the core adds them up. */
    public TimeHistogram acknowledgements() {
        return acknowledgements;
    }

    /** Times of batches in the relay: the core adds them up. */
    public TimeHistogram transits() {
        return transits;
    }

    public long sum(Counter counter) {
        return adders.get(counter).sum();
    }
}
