package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.worker.Joiner;
import dev.msgrelay.loadgen.worker.Outlet;
import dev.msgrelay.loadgen.worker.PublishConnection;
import dev.msgrelay.loadgen.worker.Sockets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures joins: a relay whose state has each type once, and one subscriber after the other that starts with it.
 * Nobody publishes meanwhile.
 */
public final class JoinRun {
    /** Joins that are not counted, in which relay and subscriber compile their code. */
    public static final int WARM_UP = 10;

    /** Time after a join in which the relay ends its work for it, before its processor time is read. */
    private static final long REST_MILLIS = 20;

    private static final long FILLED_NANOS = TimeUnit.SECONDS.toNanos(60);

    private JoinRun() {}

    /**
     * A measured join.
     *
     * @param nanos time from before the connect to the complete state
     * @param relayCpuNanos processor time of all the relay's threads meanwhile, or {@link Child#UNKNOWN}
     * @param wrong the first type that was wrong, in words; null: none
     */
    public record Measured(long nanos, long relayCpuNanos, long messages, String wrong) {}

    /** Returns the joins, as many as {@code rounds}. */
    public static List<Measured> measure(
            Contestant relay, Placement placement, Load load, int rounds, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        try (Children children = new Children(placement)) {
            observer.phase("starting " + relay.name());
            Contestant.Started started = relay.start(children, load);
            Outlet outlet = new Outlet.Raw(Sockets.connect(started.publish()));
            try (PublishConnection publisher = new PublishConnection(0, outlet)) {
                observer.phase("filling the state");
                PublishConnection.fill(List.of(publisher), load.sizes());
                awaitFilled(started, load);
                observer.phase("joining");
                List<Measured> joins = new ArrayList<>();
                for (int i = 0; i < WARM_UP + rounds; i++) {
                    joins.add(join(started, load));
                    children.checkHealthy();
                }
                return joins.subList(WARM_UP, joins.size());
            }
        }
    }

    private static void awaitFilled(Contestant.Started started, Load load)
            throws IOException, RunException, InterruptedException {
        long began = System.nanoTime();
        while (Joiner.join(started.subscribe(), load).head() < load.types()) {
            if (System.nanoTime() - began > FILLED_NANOS) {
                throw new RunException("the relay has not taken all messages within 60 s");
            }
            TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
        }
    }

    private static Measured join(Contestant.Started started, Load load) throws IOException, InterruptedException {
        long before = started.process().exactCpuNanos();
        Joiner.Join join = Joiner.join(started.subscribe(), load);
        TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
        long after = started.process().exactCpuNanos();
        boolean known = before != Child.UNKNOWN && after != Child.UNKNOWN;
        return new Measured(
                join.nanos(),
                known ? after - before : Child.UNKNOWN,
                join.messages(),
                join.wrong() == null ? null : join.wrong().toString());
    }
}
