package dev.msgrelay.loadgen.experiment;

import java.util.function.LongToIntFunction;

/** A machine whose time passes only where a test says so. */
public final class FakeMeter implements Meter {
    public double hop = 50;
    public long now = -7;
    public boolean endAsked;
    private LongToIntFunction hops;
    private long measured;

    /** Hops by their number, from 0, instead of one that stays. */
    public FakeMeter withHops(LongToIntFunction newHops) {
        hops = newHops;
        return this;
    }

    @Override
    public double hopNanos() {
        return hops == null ? hop : hops.applyAsInt(measured++);
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public boolean isEndAsked() {
        return endAsked;
    }
}
