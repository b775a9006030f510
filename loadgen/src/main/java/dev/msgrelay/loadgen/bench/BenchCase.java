package dev.msgrelay.loadgen.bench;

import java.util.List;

/**
 * One line of the benchmark.
 *
 * @param id as on the command line
 * @param title for people
 * @param ours what is measured in every round
 * @param ceilings candidates of the ceiling: all are tried once, the best two run in every round; may be empty
 * @param metrics what is asked
 * @param rounds how often
 */
public record BenchCase(
        String id, String title, List<Contender> ours, List<Contender> ceilings, List<Metric> metrics, int rounds) {
    /** So many of the ceilings run in every round: the best one of a single try may have been lucky. */
    static final int CEILINGS_PER_ROUND = 2;

    /** About how long the whole case takes. */
    long estimatedMillis() {
        long ceilingsOnce =
                ceilings.stream().mapToLong(Contender::estimatedMillis).sum();
        long oneRound = ours.stream().mapToLong(Contender::estimatedMillis).sum()
                + ceilings.stream()
                        .limit(CEILINGS_PER_ROUND)
                        .mapToLong(Contender::estimatedMillis)
                        .sum();
        return ceilingsOnce + rounds * oneRound;
    }
}
