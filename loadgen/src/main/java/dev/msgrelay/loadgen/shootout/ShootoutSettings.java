package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.shootout.Plan.PlannedLane;
import java.time.Duration;
import java.util.List;

/**
 * What is asked of a shootout.
 *
 * @param lanes in the order in which they run
 * @param points what runs on each of them
 * @param rounds how often each point runs on each lane
 * @param timing of every run
 * @param search null where speeds are measured and no rate is searched
 */
public record ShootoutSettings(
        List<LaneSpec> lanes,
        List<LoadPoint> points,
        int rounds,
        Timing timing,
        Sides sides,
        Yardsticks yardsticks,
        SearchSettings search) {
    public ShootoutSettings {
        lanes = List.copyOf(lanes);
        points = List.copyOf(points);
    }

    /** What lies ahead, in one line: "4 lanes x 3 loads x 3 rounds: 48 runs with their ceilings, about 6 min". */
    public String summary() {
        String head = lanes.size() + (lanes.size() == 1 ? " lane" : " lanes") + " x " + points.size()
                + (points.size() == 1 ? " load" : " loads");
        Plan plan = plan(lanes);
        if (search != null) {
            Duration most = Duration.ofNanos(search.nanos()).multipliedBy(plan.cells());
            return head + ": " + plan.cells() + (plan.cells() == 1 ? " search" : " searches")
                    + " for the highest rate, at most " + Pace.text(most);
        }
        return head + " x " + rounds + (rounds == 1 ? " round" : " rounds") + ": " + plan.runs()
                + " runs with those for ceilings, about " + Pace.text(Duration.ofMillis(estimateMillis(plan)));
    }

    /** About how long the rounds take, with what lanes give without a relay. */
    long estimateMillis(Plan plan) {
        long links = yardsticks.baseline()
                ? plan.lanes().size()
                        - lanes.stream().filter(lane -> !lane.isApart()).count()
                : 0;
        return plan.estimate().toMillis() + Math.max(0, links) * rounds * baselineMillis(timing);
    }

    /** A run of our own workers, and one of iperf3. */
    static long baselineMillis(Timing timing) {
        return 2 * (timing.warmup().toMillis() + timing.measured().toMillis() + Plan.OVERHEAD_MILLIS);
    }

    /**
     * The plan for as many of the lanes as there are. A remote lane's link is known when it is open: until then it is
     * taken for one whose speed is known.
     */
    Plan plan(List<LaneSpec> specs) {
        boolean calibrated = yardsticks.calibrate() != Calibrate.NEVER && search == null;
        List<PlannedLane> planned = specs.stream()
                .map(spec -> new PlannedLane(OpenLanes.nameOf(spec), calibrated && !spec.isApart()))
                .toList();
        return new Plan(planned, points, rounds, timing);
    }

    /**
     * Which end of a lane publishers and subscribers live at; the relay is at the near one.
     *
     * @param door how publishers at the relay's end of a link get into it
     */
    public record Sides(End publishers, End subscribers, Door door) {
        /** Whether publishers of this lane connect to the relay's Unix socket, and subscribers do not. */
        public boolean publishOverUnix(Lane lane) {
            return door == Door.UNIX && publishers == End.NEAR && lane.isApart();
        }
    }

    /** How publishers get into a relay beside them. */
    public enum Door {
        TCP,
        /** The fast path between two processes of a host. */
        UNIX,
        /** They are threads of the relay's own process. */
        WITHIN
    }

    /**
     * What results are set against, beside arithmetic.
     *
     * @param baseline whether it is measured what lanes with a link give without a relay, in every round
     */
    public record Yardsticks(Calibrate calibrate, boolean baseline) {}

    /** How the ceilings of lanes without a line rate are found. */
    public enum Calibrate {
        /** They are not. */
        NEVER,
        /** In every round, with one usual size of writes. */
        IN_TURN,
        /** The same, with the size that was the best of all in a first try. */
        BEST_SIZE
    }

    /**
     * What a rate has to keep to.
     *
     * @param p99Nanos the 99th percentile of the latency stays at or under this
     * @param probes runs of one search at most
     * @param nanos of one search at most
     */
    public record SearchSettings(long p99Nanos, int probes, long nanos) {
        /** How near the rate that fails is to the one that is found. */
        public static final double RESOLUTION = 0.05;
    }
}
