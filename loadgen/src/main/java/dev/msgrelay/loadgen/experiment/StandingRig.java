package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Live;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * This host, with one relay and one set of publishers and subscribers that stay from run to run: the later ones are as warm
 * as the first one has made them. A contestant that ends with a run is started for each. The experiment's thread owns it.
 */
public final class StandingRig implements LoadRig, AutoCloseable {
    private final Placement placement;
    private final Children relay;
    private final Children workers;
    private final List<LoadRun> runs = new ArrayList<>();
    private Contestant.Started started;

    /**
     * @throws InterruptedException the JVM is going down
     */
    public StandingRig(Placement placement) throws InterruptedException {
        this.placement = placement;
        this.relay = new Children(placement);
        this.workers = Children.staying(placement);
    }

    @Override
    public RunResult run(LoadCell cell, RunObserver observer) throws IOException, RunException, InterruptedException {
        Contestant contestant = cell.contestant();
        LoadRun run = new LoadRun(contestant, placement, cell.load(), cell.timing(), observer);
        runs.add(run);
        if (contestant.stays() && started == null) {
            observer.phase("starting " + contestant.name());
            started = contestant.start(relay, cell.load());
        }
        return started == null ? run.run() : run.through(started, workers);
    }

    /**
     * Ends the relay, which then says of itself what it has not said yet.
     *
     * @param done all runs, in their order
     * @return the same, with that
     * @throws RunException it did not end in time, and was killed
     */
    public List<Run<RunResult>> end(List<Run<RunResult>> done) throws RunException, InterruptedException {
        if (started == null || started.process() == null) {
            return done;
        }
        LoadRun.end(started.process());
        List<Run<RunResult>> whole = new ArrayList<>();
        for (int i = 0; i < done.size(); i++) {
            RunResult result = done.get(i).result();
            whole.add(done.get(i).with(runs.get(i).ended(result, started.process())));
        }
        return whole;
    }

    /** Where its processes live. */
    public Placement placement() {
        return placement;
    }

    /** The last thing that could be seen, or null; what is left to tell of a run after an interrupt. */
    public Live lastLive() {
        return runs.isEmpty() ? null : runs.get(runs.size() - 1).lastLive();
    }

    /** Ends all by force: whoever is asked to end has results to print, and a child that hangs does not answer. */
    public void abandon() {
        workers.abandon();
        relay.abandon();
    }

    @Override
    public void close() {
        workers.close();
        relay.close();
    }
}
