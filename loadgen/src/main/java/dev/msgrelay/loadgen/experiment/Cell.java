package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * What is measured again and again, in turn with others.
 *
 * @param <R> what one run of it gives
 */
public interface Cell<R> {
    /** For people: on progress lines, in front of what went wrong. */
    String name();

    /** Cells of one group have something in common that may break for all of them: "lane 10gbe". */
    default String group() {
        return name();
    }

    /** About how long one run takes. */
    Duration estimate();

    /** What comes before a run and is no part of it: nothing, mostly. */
    default void prepare(RunObserver observer) throws IOException, RunException, InterruptedException {}

    /**
     * Does one run.
     *
     * @throws RunException it did not come to its end
     */
    R measure(RunObserver observer) throws IOException, RunException, InterruptedException;

    /** What makes a run that came to its end invalid, one line each. */
    default List<String> failures(R result) {
        return List.of();
    }

    /** What the machine did meanwhile, so that its figures stand for nothing, one line each; mostly empty. */
    default List<String> environment(R result) {
        return List.of();
    }

    /** What became of it: told, counted, compared, and never a reason to leave it out. */
    default List<Observed> observed(R result) {
        return List.of();
    }
}
