package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The two relays, and one set of publishers and subscribers for both, which stay from run to run: what their JVMs have made of
 * the code is the same for both sides. Relays are started anew for every round, because one JVM compiles the same code
 * better than another: of a pair of relays that stayed for good, it would be part of every ratio.
 *
 * <pre>
 *  one pair a round     | start A, load, stop | start B, load, stop |
 *  two                  | start A and B, warm up each | load A | load B | load B | load A | stop both |
 * </pre>
 */
public final class SideBySide implements InTurn.Runner, AutoCloseable {
    private final Map<Side, Contestant> contestants;
    private final Load load;
    private final Schedule schedule;
    private final RunObserver observer;
    private final Children workers = Children.staying();
    private final Map<Side, Standing> standing = new EnumMap<>(Side.class);
    private boolean warm;
    private double hop = Double.NaN;

    /**
     * How long runs are, and how many have the same processes.
     *
     * @param first of relays that stay for more than a pair, at full speed, before anything is counted; one that is started
     *     for a single run has nothing but the run's own warm-up
     * @param each of all runs
     * @param pairs of a round
     */
    public record Schedule(Timing first, Timing each, int pairs) {}

    private record Standing(Children children, Middle.Started middle) implements AutoCloseable {
        @Override
        public void close() {
            children.close();
        }
    }

    /**
     * @throws InterruptedException the JVM is going down
     */
    public SideBySide(Map<Side, Contestant> contestants, Load load, Schedule schedule, RunObserver observer)
            throws InterruptedException {
        this.contestants = contestants;
        this.load = load;
        this.schedule = schedule;
        this.observer = observer;
    }

    @Override
    public Turn run(Side side, int number) throws IOException, RunException, InterruptedException {
        if (!warm) {
            // For the workers, which are as new as the relay; and they are started as this load needs them.
            runAlone(side, number);
            warm = true;
        }
        if (schedule.pairs() == 1) {
            return runAlone(side, number);
        }
        int runs = 2 * schedule.pairs();
        if (number % runs == 0) {
            startBoth(number / runs % 2 == 0 ? Side.A : Side.B);
        }
        return measure(side, number, standing.get(side).middle());
    }

    private Turn runAlone(Side side, int number) throws IOException, RunException, InterruptedException {
        try (Standing own = start(side)) {
            return measure(side, number, own.middle());
        }
    }

    /** @param first in turn, too: of two alike that stayed, the one that was started first was faster */
    private void startBoth(Side first) throws IOException, RunException, InterruptedException {
        stopBoth();
        for (Side side : List.of(first, first.other())) {
            standing.put(side, start(side));
            observer.phase("warming up " + side);
            load(
                    side,
                    load.withPace(Load.Pace.FULL_SPEED),
                    schedule.first(),
                    standing.get(side).middle());
        }
        hop = Double.NaN;
    }

    private void stopBoth() {
        standing.values().forEach(Standing::close);
        standing.clear();
    }

    private Standing start(Side side) throws IOException, RunException, InterruptedException {
        observer.phase("starting " + side);
        Children children = new Children();
        try {
            return new Standing(children, contestants.get(side).middle().start(children, load));
        } catch (IOException | RunException | InterruptedException e) {
            children.close();
            throw e;
        }
    }

    private Turn measure(Side side, int number, Middle.Started middle)
            throws IOException, RunException, InterruptedException {
        observer.phase("running " + side);
        double before = Double.isNaN(hop) ? CoreHop.measureNanos() : hop;
        RunResult result = load(side, load, schedule.each(), middle);
        hop = CoreHop.measureNanos();
        return new Turn(
                side,
                number,
                number / (2 * schedule.pairs()),
                Regime.of(before, hop),
                Figure.of(Figure.of(load.rate() > 0), result),
                !Verdict.failures(result.published().punctuality()).isEmpty(),
                Verdict.faults(result, contestants.get(side).policy()));
    }

    private RunResult load(Side side, Load given, Timing timing, Middle.Started middle)
            throws IOException, RunException, InterruptedException {
        return new LoadRun(contestants.get(side).middle(), given, timing, RunObserver.NONE).through(middle, workers);
    }

    @Override
    public void close() {
        workers.close();
        stopBoth();
    }

    /** What a load is compared by. */
    public static List<Figure> figures(Load load) {
        return Figure.of(load.rate() > 0);
    }
}
