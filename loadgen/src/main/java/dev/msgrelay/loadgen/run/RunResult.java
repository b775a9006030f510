package dev.msgrelay.loadgen.run;

import java.util.List;

/**
 * What a run gave.
 *
 * @param middle which middle it was, for people
 * @param published nothing where the middle sends by itself and does not count
 * @param slow what became of the subscribers that read too slowly on purpose
 * @param processes what each child used, the middle first
 * @param relay what the relay says about itself, or null where it does not
 * @param observed what was seen of it while it was measured, and what it was bound by
 */
public record RunResult(
        String middle,
        Load load,
        Timing timing,
        Published published,
        Received received,
        List<SlowResult> slow,
        List<ProcessUse> processes,
        RelayFigures relay,
        Observed observed) {

    /** Deliveries a second, of all subscribers together: the figure that everything is compared by. */
    public double deliveriesPerSecond() {
        return received.traffic().messagesPerSecond();
    }
}
