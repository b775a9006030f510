package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.agent.AgentSite;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LinkBaseline;
import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** This host, and the agents that it has a connection to. */
public final class HostRig implements Rig {
    /** Clocks that went apart by more than this within a run make its latencies doubtful. */
    private static final long MAX_DRIFT_NANOS = 200_000;

    private static final double NANOS_PER_MICRO = 1e3;

    private final boolean realTime;

    /**
     * @param realTime whether publishers of a fixed rate may run before others
     */
    public HostRig(boolean realTime) {
        this.realTime = realTime;
    }

    @Override
    public double hopNanos() throws InterruptedException {
        // A single core has nobody to hand a number to.
        return Runtime.getRuntime().availableProcessors() < 2 ? Double.NaN : CoreHop.measureNanos();
    }

    /** Clocks of other hosts are measured right before and right after it. */
    @Override
    public Outcome run(Middle middle, Placement placement, Load load, Timing timing, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        List<AgentSite> agents = Stream.of(placement.publishers(), placement.subscribers())
                .filter(AgentSite.class::isInstance)
                .map(AgentSite.class::cast)
                .distinct()
                .toList();
        for (AgentSite agent : agents) {
            agent.measureClock();
        }
        Load paced = realTime ? load : load.withPace(load.pace().withoutRealTime());
        RunResult result = new LoadRun(middle, placement, paced, timing, observer).run();
        long drift = 0;
        long error = 0;
        for (AgentSite agent : agents) {
            agent.measureClock();
            drift = Math.max(drift, Math.abs(agent.clockDriftNanos()));
            error = Math.max(error, agent.latencyErrorNanos());
        }
        List<String> marks = drift <= MAX_DRIFT_NANOS
                ? List.of()
                : List.of(
                        String.format(Locale.ROOT, "the hosts' clocks went apart by %.0f us", drift / NANOS_PER_MICRO));
        return new Outcome(result, marks, error);
    }

    @Override
    public Baseline baseline(Lane lane, End from, Timing timing, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        RunResult raw = LinkBaseline.raw(lane, from, timing, observer);
        observer.phase("iperf3");
        return new Baseline(raw.received().traffic().bytesPerSecond(), LinkBaseline.iperf3(lane, from, timing));
    }
}
