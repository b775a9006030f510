package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.shootout.Step.What;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is run, and in which order: rounds outermost, then the matrix, then lanes, so that what will be compared ran
 * within seconds, on the same machine. Every other round goes the other way round, so that nobody always goes first.
 *
 * <pre>
 *  round 1   loopback 100   10gbe 100   loopback 1000   10gbe 1000
 *  round 2   10gbe 1000   loopback 1000   10gbe 100   loopback 100
 *  round 3   as round 1
 * </pre>
 *
 * @param lanes in the order in which they were asked for
 * @param rounds at least 1
 */
public record Plan(List<PlannedLane> lanes, List<LoadPoint> points, int rounds, Timing timing) {
    /** More cells (points of the matrix times lanes) than this are refused: somebody mistyped a list. */
    public static final int MAX_CELLS = 500;

    /** Starting and ending processes, and the hops before and after: what a run takes beside warm-up and measuring. */
    static final long OVERHEAD_MILLIS = 3_000;

    /** For each process of more than one publisher and one subscriber. */
    private static final long PROCESS_MILLIS = 250;

    private static final int MAX_PROCESSES = 20;

    /**
     * A lane as the plan sees it.
     *
     * @param name unique
     * @param calibrated its ceiling is measured, in turn with its cells
     */
    public record PlannedLane(String name, boolean calibrated) {}

    public Plan {
        lanes = List.copyOf(lanes);
        points = List.copyOf(points);
    }

    /** How many different things are measured, ceilings not counted. */
    public int cells() {
        return lanes.size() * points.size();
    }

    /**
     * The runs of one round, in their order.
     *
     * @param round from 1
     */
    public List<Step> round(int round) {
        List<Step> steps = new ArrayList<>();
        Set<Step> calibrations = new HashSet<>();
        for (LoadPoint point : points) {
            for (PlannedLane lane : lanes) {
                if (lane.calibrated()) {
                    for (Step ceiling : ceilings(lane.name(), point)) {
                        if (calibrations.add(ceiling)) {
                            steps.add(ceiling);
                        }
                    }
                }
                steps.add(new Step(lane.name(), point, What.RELAY));
            }
        }
        if (round % 2 == 0) {
            Collections.reverse(steps);
        }
        return steps;
    }

    /** The calibrations that stand above this point on a calibrated lane; points that differ little share them. */
    static List<Step> ceilings(String lane, LoadPoint point) {
        return List.of(
                new Step(lane, ceilingPoint(point.body(), 1), What.DIRECT),
                new Step(lane, ceilingPoint(point.body(), point.subscribers()), What.PLAIN));
    }

    private static LoadPoint ceilingPoint(BodySizes body, int subscribers) {
        return new LoadPoint(body, 1, subscribers, 0, 0, 1);
    }

    /** All runs of all rounds. */
    public int runs() {
        return rounds * round(1).size();
    }

    /** About how long all of it takes. */
    public Duration estimate() {
        return Duration.ofMillis(
                rounds * round(1).stream().mapToLong(this::estimateMillis).sum());
    }

    /** About how long one run takes. */
    long estimateMillis(Step step) {
        int processes =
                Math.min(MAX_PROCESSES, step.point().publishers() + step.point().subscribers());
        return timing.warmup().toMillis()
                + timing.measured().toMillis()
                + OVERHEAD_MILLIS
                + PROCESS_MILLIS * Math.max(0, processes - 2);
    }
}
