package dev.msgrelay.loadgen.experiment;

/** A machine whose time passes only where a test says so. */
public final class FakeMeter implements Meter {
    public long now = -7;
    public boolean endAsked;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public boolean isEndAsked() {
        return endAsked;
    }
}
