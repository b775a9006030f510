package dev.msgrelay.loadgen.run;

import java.util.List;

/**
 * What a run gave.
 *
 * @param contestant which contestant it was, for people
 * @param published nothing where the contestant sends by itself and does not count
 * @param processes what each child used, the contestant first
 * @param relay what the relay says about itself, or null where it does not
 * @param observed what was seen of it while it was measured, and what it was bound by
 */
public record RunResult(
        String contestant,
        Load load,
        Timing timing,
        Published published,
        Received received,
        List<ProcessUse> processes,
        RelayFigures relay,
        Observed observed) {
    private static final int PERCENT = 100;

    /** Deliveries a second, of all subscribers together: the figure that everything is compared by. */
    public double deliveriesPerSecond() {
        return received.traffic().messagesPerSecond();
    }

    /** Messages a second of each publisher that are so many percent of what every subscriber got; 0: less than one. */
    public int rateAt(int percent) {
        double each = deliveriesPerSecond() / Math.max(1, load.subscribers()) / load.publishers();
        return (int) Math.min(Load.MAX_RATE, each * percent / PERCENT);
    }

    /** The same with what the relay says when it has ended. */
    RunResult withRelay(RelayFigures figures) {
        return new RunResult(contestant, load, timing, published, received, processes, figures, observed);
    }
}
