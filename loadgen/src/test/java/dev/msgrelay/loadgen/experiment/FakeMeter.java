package dev.msgrelay.loadgen.experiment;

/** A machine whose time passes only where a test says so. */
public final class FakeMeter {
    public long now = -7;
    public boolean endAsked;

    public long nanoTime() {
        return now;
    }

    public boolean isEndAsked() {
        return endAsked;
    }
}
