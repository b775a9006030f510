package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Ceilings.Rate;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.loadgen.shootout.Step.What;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The ceilings of a lane without a line rate: what the plain relay delivered, measured in turn with the cells. A run is
 * set against the one of its own round, as long as the cores were placed alike; else against the median of those that
 * were taken in the run's regime. The shootout's thread owns it.
 */
final class MeasuredCeilings {
    private final List<Taken> all = new ArrayList<>();

    void add(Taken taken) {
        if (taken.isWhole() && taken.failures().isEmpty()) {
            all.add(taken);
        }
    }

    /** What this run is set against, or null where nothing comparable was measured. */
    Ceilings beside(Taken run) {
        Regime regime = run.hops().regime();
        List<Taken> comparable = plain(run.step(), taken -> taken.hops().regime() == regime);
        return regime.isSteady()
                ? comparable.stream()
                        .filter(taken -> taken.round() == run.round())
                        .findFirst()
                        .map(MeasuredCeilings::ceilings)
                        .orElseGet(() -> median(comparable))
                : null;
    }

    /** The median over all steady rounds, or null. */
    Ceilings of(String lane, LoadPoint point) {
        return median(plain(
                new Step(lane, point, What.RELAY),
                taken -> taken.hops().regime().isSteady()));
    }

    /** The median of each, for people: "unix: ceiling measured, direct to 1, ...". */
    List<String> lines() {
        Map<Step, List<Taken>> groups = new LinkedHashMap<>();
        all.stream()
                .filter(taken -> taken.round() > 0 && taken.hops().regime().isSteady())
                .forEach(taken -> groups.computeIfAbsent(taken.step(), key -> new ArrayList<>())
                        .add(taken));
        List<String> lines = new ArrayList<>();
        groups.forEach((step, runs) -> {
            Rate rate = median(runs).batched();
            lines.add(String.format(
                    Locale.ROOT,
                    "%s: ceiling measured, %s to %d, %s: %,.0f msg/s, %,.1f MB/s (median of %d)",
                    step.lane(),
                    step.what(),
                    step.point().subscribers(),
                    step.point().body().describe(),
                    rate.messagesPerSecond(),
                    rate.bytesPerSecond() / 1e6,
                    runs.size()));
        });
        return lines;
    }

    private List<Taken> plain(Step cell, Predicate<Taken> wanted) {
        List<Step> steps = Plan.ceilings(cell.lane(), cell.point());
        return all.stream()
                .filter(taken -> taken.step().what() == What.PLAIN && steps.contains(taken.step()))
                .filter(taken -> taken.round() > 0)
                .filter(wanted)
                .toList();
    }

    private static Ceilings median(List<Taken> runs) {
        if (runs.isEmpty()) {
            return null;
        }
        List<Taken> sorted =
                runs.stream().sorted(Comparator.comparingDouble(Taken::rate)).toList();
        return ceilings(sorted.get((sorted.size() - 1) / 2));
    }

    private static Ceilings ceilings(Taken taken) {
        Traffic traffic = taken.result().received().traffic();
        return new Ceilings(
                Ceilings.PLAIN_RELAY, new Rate(traffic.messagesPerSecond(), traffic.bytesPerSecond()), null);
    }
}
