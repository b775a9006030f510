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

/** One relay with its publishers and subscribers, all of which serve several runs. Used by one thread. */
public final class StandingRig implements Rig, AutoCloseable {
    private final Children relay;
    private final Children workers;
    private Contestant.Started started;
    private LoadRun last;

    public StandingRig(Placement placement) throws InterruptedException {
        this.relay = new Children(placement);
        this.workers = Children.staying(placement);
    }

    @Override
    public RunRecord run(Plan plan, int round, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        if (started == null) {
            observer.phase("starting " + plan.contestant().name());
            started = plan.contestant().start(relay, plan.load());
        }
        last = new LoadRun(plan, round, observer, started, workers);
        return last.run();
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
        relay.abandon();
    }

    @Override
    public void close() {
        workers.close();
        relay.close();
    }
}
