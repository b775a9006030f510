package dev.msgrelay.loadgen.experiment;

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
