package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.SlowReaders;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Sides;
import dev.msgrelay.loadgen.shootout.Step.What;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Takes one run with the core-to-core hop right before and right after it. One thread owns it. */
final class Taker {
    private final Equipment equipment;
    private final Sides sides;
    private final Timing timing;
    private final boolean searching;

    /** @param searching a rate is searched: late sends show in the latencies that it asks for, and fail no run */
    Taker(Equipment equipment, Sides sides, Timing timing, boolean searching) {
        this.equipment = equipment;
        this.sides = sides;
        this.timing = timing;
        this.searching = searching;
    }

    /**
     * A run of the plan, whatever becomes of it.
     *
     * @param round see {@link Taken#round}
     * @param writeSize of a ceiling's reads or writes, in bytes; 0 for the relay
     */
    Taken take(Lane lane, Step step, int round, int writeSize, RunObserver observer) throws InterruptedException {
        observer.phase("measuring the core-to-core hop");
        double before = equipment.rig().hopNanos();
        String started = now();
        Rig.Outcome outcome = null;
        List<String> faults;
        List<String> lateness = List.of();
        try {
            outcome = equipment
                    .rig()
                    .run(
                            middle(lane, step.what(), writeSize),
                            lane.placement(sides.publishers(), sides.subscribers()),
                            load(lane, step),
                            timing,
                            observer);
            faults = Verdict.faults(
                    outcome.result(), step.what() == What.RELAY ? equipment.policy() : Policy.BACKPRESSURE);
            if (!searching) {
                lateness = Verdict.failures(outcome.result().published().punctuality());
            }
        } catch (IOException | RunException e) {
            faults = List.of(step.what() + ": " + e.getMessage());
        }
        Hops hops = new Hops(before, equipment.rig().hopNanos());
        return new Taken(step, round, started, hops, outcome, faults, lateness);
    }

    private Middle middle(Lane lane, What what, int writeSize) {
        return switch (what) {
            case RELAY -> equipment.relay().apply(lane);
            case PLAIN -> Middles.plain(writeSize);
            case DIRECT -> Middles.direct(writeSize);
        };
    }

    private static Load load(Lane lane, Step step) {
        LoadPoint point = step.point();
        return new Load(
                point.publishers(),
                new Load.Audience(point.subscribers(), step.what() != What.DIRECT, SlowReaders.NONE),
                new Load.Content(point.body(), Load.Content.DEFAULT_SEED),
                new Load.Pace(point.rate(), point.burst(), true),
                new Load.Writes(0, point.batch()),
                lane.unix());
    }

    static String now() {
        return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(ZonedDateTime.now().truncatedTo(ChronoUnit.SECONDS));
    }
}
