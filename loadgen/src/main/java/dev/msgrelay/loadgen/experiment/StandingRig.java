package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.rig.Children;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.Live;
import dev.msgrelay.loadgen.rig.LoadRun;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.util.Optional;

/**
 * One relay with its publishers and subscribers, all of which serve several runs; and, with the same publishers and
 * subscribers, other contestants such as the plain relay. Used by one thread.
 */
public final class StandingRig implements Rig, AutoCloseable {
    private final Children relay;
    private final Children workers;
    /** The contestants that do not stay. Their processes do, and get a new job for each run. */
    private final Children perRun;

    private Contestant.Started started;
    private LoadRun last;

    public StandingRig(Placement placement) throws InterruptedException {
        this.relay = new Children(placement);
        this.workers = Children.staying(placement);
        this.perRun = Children.staying(placement);
    }

    @Override
    public RunRecord run(Plan plan, int round, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        if (!plan.contestant().stays()) {
            return runOther(plan, round, observer);
        }
        if (started == null) {
            started = start(plan, relay, observer);
        }
        last = new LoadRun(plan, round, observer, started, workers);
        return last.run();
    }

    private RunRecord runOther(Plan plan, int round, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        try {
            last = new LoadRun(plan, round, observer, start(plan, perRun, observer), workers);
            RunRecord record = last.run();
            perRun.endJobs();
            return record;
        } catch (IOException | RunException e) {
            // Processes of a run that broke off cannot serve another one. The relay had no part in it, and goes on.
            perRun.killAndForget();
            workers.killAndForget();
            throw e;
        }
    }

    private static Contestant.Started start(Plan plan, Children children, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        observer.phase("starting " + plan.contestant().name());
        return plan.contestant().start(children, plan.load());
    }

    public void stopRelay() throws RunException, InterruptedException {
        if (started != null && started.process() != null) {
            LoadRun.stop(started.process());
        }
    }

    public Optional<Live> lastLive() {
        return last == null ? Optional.empty() : last.lastLive();
    }

    /** Kills all processes without a wait, since the results must be printed before the JVM ends. */
    public void abandon() {
        workers.abandon();
        perRun.abandon();
        relay.abandon();
    }

    @Override
    public void close() {
        workers.close();
        perRun.close();
        relay.close();
    }
}
