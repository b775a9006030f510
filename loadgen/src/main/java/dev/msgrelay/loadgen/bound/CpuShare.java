package dev.msgrelay.loadgen.bound;

/**
 * How the busiest thread of one process, among those of one role, spent the window.
 *
 * @param process whose thread it is, for people
 * @param thread its name as the kernel knows it, at most 15 characters
 * @param run share of the time in which it ran, 0..1
 * @param waited share of the time in which it could have run but had no core, 0..1; 0 where the kernel does not tell
 */
public record CpuShare(Role role, String process, String thread, double run, double waited) {
    private static final double ALL = 0.9;
    private static final double MOST = 0.7;

    /** Share of the time in which it wanted a core. */
    public double wanted() {
        return run + waited;
    }

    /** Whether it wanted a core nearly all the time: it is as fast as its core, or what it got of one. */
    public boolean wantsAll() {
        return wanted() >= ALL;
    }

    /** Whether it wanted a core for most of the time. */
    public boolean wantsMost() {
        return wanted() >= MOST;
    }
}
