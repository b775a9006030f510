package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import dev.msgrelay.loadgen.rig.Children;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.LoadRun;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs two relays with the same publisher and subscriber processes, whose compiled code is then the same for both. The
 * relays are started again for every round, since each JVM compiles the same code a little better or worse. Without new
 * JVMs, that difference would be in every ratio.
 *
 * <pre>
 *  one pair a round     | start A, load, stop | start B, load, stop |
 *  two                  | start A and B, warm up each | load A | load B | load B | load A | stop both |
 * </pre>
 */
public final class SideBySide implements Rig, AutoCloseable {
    private final Map<Side, Sided> sides;
    private final Schedule schedule;
    private final Children workers = Children.staying(Placement.HERE);
    private final Map<Side, Standing> standing = new EnumMap<>(Side.class);
    private final Map<Side, Senders> senders = new EnumMap<>(Side.class);
    private boolean warm;
    private int runs;

    public record Sided(String title, Load load, Contestant contestant) {}

    /**
     * The lengths of runs, and the number of pairs in a round.
     *
     * @param workers times of the run that only warms up publishers and subscribers
     * @param first times of the run at full speed that only warms up a relay, if a round has several pairs
     */
    public record Schedule(Timing workers, Timing first, Timing each, int pairs) {
        /** Returns the estimated time, with warm-ups, of as few rounds as are enough for an interval. */
        public Duration least(List<Plan> plans) {
            Duration pair = plans.stream().map(Plan::estimate).reduce(Duration.ZERO, Duration::plus);
            Duration standing = pairs == 1 ? Duration.ZERO : length(first).multipliedBy(plans.size());
            return length(workers).plus(pair.multipliedBy(pairs).plus(standing).multipliedBy(HodgesLehmann.MIN_PAIRS));
        }

        private static Duration length(Timing timing) {
            return timing.warmup().plus(timing.measured());
        }
    }

    private record Standing(Children children, Contestant.Started contestant) implements AutoCloseable {
        @Override
        public void close() {
            children.close();
        }
    }

    public SideBySide(Map<Side, Sided> sides, Schedule schedule) throws InterruptedException {
        this.sides = sides;
        this.schedule = schedule;
    }

    public List<Plan> plans() {
        return Stream.of(Side.values())
                .map(side -> plan(side, load(side), schedule.each()))
                .toList();
    }

    private Load load(Side side) {
        return sides.get(side).load();
    }

    private Plan plan(Side side, Load load, Timing timing) {
        return Plan.here(side.name(), sides.get(side).contestant(), load, timing, this);
    }

    private void prepare(Side side, RunObserver observer) throws IOException, RunException, InterruptedException {
        if (!warm) {
            boolean alike = load(side).equals(load(side.other()));
            for (Side each : alike ? List.of(side) : List.of(side, side.other())) {
                try (Standing own = start(each, observer)) {
                    through(plan(each, load(each), schedule.workers()), 0, own, workers, observer);
                }
            }
            warm = true;
        }
        int ofRound = 2 * schedule.pairs();
        if (schedule.pairs() > 1 && runs % ofRound == 0) {
            startBoth(runs / ofRound % 2 == 0 ? Side.A : Side.B, observer);
        }
    }

    @Override
    public RunRecord run(Plan plan, int round, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        Side side = Side.valueOf(plan.name());
        prepare(side, observer);
        runs++;
        RunRecord record;
        if (schedule.pairs() > 1) {
            record = through(plan, round, standing.get(side), workers, observer);
        } else {
            try (Standing own = start(side, observer)) {
                record = through(plan, round, own, workers, observer);
            }
        }
        checkLike(side, record.resources().senders());
        return record;
    }

    /** Throws if one side is the plain relay, the ceiling, and the two sides have unlike congestion control. */
    void checkLike(Side side, Senders its) throws RunException {
        senders.put(side, its);
        Senders others = senders.get(side.other());
        boolean ceiling =
                sides.values().stream().anyMatch(one -> one.contestant().name().equals(Cell.PLAIN));
        if (ceiling && others != null && !its.isLike(others)) {
            throw new RunException("no ratio to the plain relay of unlike congestion control: " + side + " "
                    + text(side) + "; " + side.other() + " " + text(side.other()));
        }
    }

    private String text(Side side) {
        return senders.get(side).text(sides.get(side).contestant().name());
    }

    /** @param first side to start first; it alternates, since of two equal relays the first one was faster */
    private void startBoth(Side first, RunObserver observer) throws IOException, RunException, InterruptedException {
        stopBoth();
        for (Side side : List.of(first, first.other())) {
            standing.put(side, start(side, observer));
            observer.phase("warming up " + side);
            through(plan(side, load(side).withRate(0), schedule.first()), 0, standing.get(side), workers, observer);
        }
    }

    private void stopBoth() {
        standing.values().forEach(Standing::close);
        standing.clear();
    }

    private Standing start(Side side, RunObserver observer) throws IOException, RunException, InterruptedException {
        observer.phase("starting " + side);
        Children children = new Children();
        try {
            return new Standing(children, sides.get(side).contestant().start(children, load(side)));
        } catch (IOException | RunException | InterruptedException e) {
            children.close();
            throw e;
        }
    }

    private static RunRecord through(Plan plan, int round, Standing relay, Children workers, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        observer.phase("running " + plan.name());
        return new LoadRun(plan, round, RunObserver.NONE, relay.contestant(), workers).run();
    }

    @Override
    public void close() {
        workers.close();
        stopBoth();
    }
}
