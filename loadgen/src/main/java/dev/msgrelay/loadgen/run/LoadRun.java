package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.host.ProcessFigures;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.RunResult.Resources;
import dev.msgrelay.loadgen.run.RunResult.Throughput;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.worker.Window;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One run from the first process to the verdict. The controller's thread owns it; every wait in it is bounded.
 *
 * <pre>
 *  start the contestant -&gt; subscribers connect -&gt; publishers connect -&gt; all have heard of all
 *      -&gt; warm-up, until the speed is steady -&gt; [ measured window: CPU read at both ends ] -&gt; publishers say what they sent
 *      -&gt; subscribers drain up to that -&gt; the relay is stopped -&gt; verdict
 * </pre>
 */
public final class LoadRun {
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** So long before its begin the window is fixed: then workers are busy, and their threads wait for a core. */
    private static final long NOTICE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long PUBLISHED_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long STOP_MILLIS = 60_000;
    private static final long CAUSE_MILLIS = 300;

    private final Contestant contestant;
    private final Placement placement;
    private final Load load;
    private final Timing timing;
    private final RunObserver observer;
    private Live lastLive;
    private Window window;

    /** A run on this host. */
    public LoadRun(Contestant contestant, Load load, Timing timing, RunObserver observer) {
        this(contestant, Placement.HERE, load, timing, observer);
    }

    public LoadRun(Contestant contestant, Placement placement, Load load, Timing timing, RunObserver observer) {
        this.contestant = contestant;
        this.placement = placement;
        this.load = load;
        this.timing = timing.of(load);
        this.observer = observer;
    }

    /**
     * Does it.
     *
     * @throws RunException it could not be brought to its end; no child is left behind
     */
    public RunResult run() throws IOException, RunException, InterruptedException {
        try (Children children = new Children(placement)) {
            try {
                return run(children);
            } catch (InterruptedException e) {
                // Whoever is asked to end has results to print, and a child on a host that hangs does not answer.
                children.abandon();
                throw e;
            }
        }
    }

    private RunResult run(Children children) throws IOException, RunException, InterruptedException {
        observer.phase("starting " + contestant.name());
        return run(children, contestant.start(children, load), true);
    }

    /**
     * Does it through a contestant that stands already and stays, with workers that stay too.
     *
     * @param workers that stay: see {@link Children#staying}
     * @throws RunException it could not be brought to its end; the workers are of no use any more
     */
    public RunResult through(Contestant.Started started, Children workers)
            throws IOException, RunException, InterruptedException {
        RunResult result = run(workers, started, false);
        workers.endJobs();
        return result;
    }

    private RunResult run(Children children, Contestant.Started started, boolean stops)
            throws IOException, RunException, InterruptedException {
        try {
            return connectAndMeasure(children, started, stops);
        } catch (RunException e) {
            // A worker that is cut off says so before it is seen that the relay has ended.
            if (started.process() != null) {
                started.process().checkHealthy(CAUSE_MILLIS);
            }
            throw e;
        }
    }

    private RunResult connectAndMeasure(Children children, Contestant.Started started, boolean stops)
            throws IOException, RunException, InterruptedException {
        Fleet fleet = new Fleet(children, load);
        observer.phase(connecting(load.subscribers(), "subscriber", load.subscriberProcesses()));
        fleet.startSubscribers(started);
        fleet.startSlow(started);
        if (!started.sendsByItself()) {
            fleet.letThemIn();
            observer.phase(connecting(load.publishers(), "publisher", load.publisherProcesses()));
            fleet.startPublishers(started);
        }
        fleet.awaitPrimed();
        return measure(children, started, fleet, stops);
    }

    /** The last thing that could be seen of this run, or null; what is left to tell when it was interrupted. */
    public Live lastLive() {
        return lastLive;
    }

    /** The result, with what a relay that stayed says of it when it has ended. */
    public RunResult ended(RunResult result, Child relay) {
        return result.withRelay(RelayFigures.of(relay, window));
    }

    private RunResult measure(Children children, Contestant.Started started, Fleet fleet, boolean stops)
            throws RunException, InterruptedException {
        tell(timing.windowFrom(System.nanoTime()), fleet, started);
        observer.phase("warm-up");
        if (timing.untilSteady()) {
            warmUp(children, fleet, started);
        }
        try (Watch watch = new Watch(window, load, fleet, started)) {
            return measure(children, started, fleet, watch, stops);
        }
    }

    private void tell(Window told, Fleet fleet, Contestant.Started started) {
        window = told;
        fleet.tell(told);
        if (started.sendsByItself()) {
            started.process().tell(told);
        }
    }

    /** Waits until the window is fixed: it begins when the speed is steady, or the longest warm-up is over. */
    private void warmUp(Children children, Fleet fleet, Contestant.Started started)
            throws RunException, InterruptedException {
        Child relay = started.process();
        long fixed = window.begin() - NOTICE_NANOS;
        long look = window.sendFrom() + timing.warmup().toNanos() - NOTICE_NANOS;
        while (look < fixed) {
            await("warm-up", look, children, fleet, relay);
            long now = System.nanoTime();
            Timeline sofar = Timeline.of(window.sendFrom(), now, fleet.publishers(), fleet.subscribers(), relay);
            if (sofar.isSteady()) {
                tell(window.beginningAt(Math.min(now + NOTICE_NANOS, window.begin())), fleet, started);
                return;
            }
            look = now + TICK_NANOS;
        }
        await("warm-up", fixed, children, fleet, relay);
    }

    private RunResult measure(Children children, Contestant.Started started, Fleet fleet, Watch watch, boolean stops)
            throws RunException, InterruptedException {
        Child relay = started.process();
        await("warm-up", window.begin(), children, fleet, relay);
        Map<Child, Long> cpuAtBegin = cpuOf(processes(relay, children));
        watch.begins();
        observer.phase("measuring");
        await("measuring", window.end(), children, fleet, relay);
        List<ProcessUse> used = usedSince(cpuAtBegin);
        watch.ends();
        observer.phase("draining");
        List<JsonObject> published = fleet.awaitPublished();
        if (started.sendsByItself()) {
            published.add(relay.await("result", PUBLISHED_NANOS));
        }
        watch.awaitLooks();
        List<JsonObject> slow = fleet.awaitSlow();
        List<JsonObject> received = fleet.awaitDrained(published);
        checkHealthy(children, relay);
        Said said = new Said(published, received, slow);
        RelayFigures figures = relay == null || !stops ? null : stop(relay, window);
        Timeline timeline = Timeline.of(window.begin(), window.end(), fleet.publishers(), fleet.subscribers(), relay);
        Throughput throughput = said.throughput(timing, timeline);
        Delays delays = said.delays(load);
        Correctness correctness = said.correctness(load);
        return new RunResult(
                contestant.name(),
                load,
                timing.in(window),
                said.sent(),
                throughput,
                delays,
                correctness,
                Resources.of(used, figures, watch.signals(said, throughput, delays, correctness)),
                said.clocks());
    }

    /** The relay need not be one of the children. */
    private static void checkHealthy(Children children, Child relay) throws RunException {
        children.checkHealthy();
        if (relay != null) {
            relay.checkHealthy();
        }
    }

    /** The contestant first, where it runs here. */
    private static List<Child> processes(Child relay, Children children) {
        Set<Child> all = new LinkedHashSet<>();
        if (relay != null) {
            all.add(relay);
        }
        all.addAll(children.all());
        return List.copyOf(all);
    }

    private static Map<Child, Long> cpuOf(List<Child> children) {
        Map<Child, Long> cpu = new LinkedHashMap<>();
        children.forEach(child -> cpu.put(child, child.cpuNanos()));
        return cpu;
    }

    private List<ProcessUse> usedSince(Map<Child, Long> cpuThen) {
        List<ProcessUse> used = new ArrayList<>();
        cpuThen.forEach((child, then) -> {
            boolean here = child.site() == Site.HERE || child.site() == placement.relay();
            used.add(ProcessUse.of(
                    child.name(),
                    difference(then, child.cpuNanos()),
                    child.peakResidentBytes(),
                    here ? ProcessUse.HERE : child.site().name()));
        });
        return used;
    }

    /** Between two figures of which either may be unknown. */
    private static long difference(long before, long after) {
        return before < 0 || after < 0 ? ProcessFigures.UNKNOWN : after - before;
    }

    /** Waits for a moment, looking after the children and reporting meanwhile. */
    private void await(String phase, long moment, Children children, Fleet fleet, Child relay)
            throws RunException, InterruptedException {
        long left;
        while ((left = moment - System.nanoTime()) > 0) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TICK_NANOS));
            checkHealthy(children, relay);
            long elapsed = System.nanoTime() - window.sendFrom();
            lastLive = Live.of(phase, elapsed, window.end() - window.sendFrom(), fleet, relay);
            observer.progress(lastLive);
        }
    }

    private static RelayFigures stop(Child relay, Window window) throws RunException, InterruptedException {
        end(relay);
        return RelayFigures.of(relay, window);
    }

    /**
     * Stops the relay in order, so that its last words are heard.
     *
     * @throws RunException it did not end in time, and was killed
     */
    public static void end(Child relay) throws RunException, InterruptedException {
        relay.terminate();
        if (!relay.awaitExit(STOP_MILLIS)) {
            relay.kill();
            throw new RunException(relay.name() + " did not end within " + TimeUnit.MILLISECONDS.toSeconds(STOP_MILLIS)
                    + " s after SIGTERM and was killed");
        }
    }

    private static String connecting(int clients, String what, int processes) {
        return "connecting " + clients + " " + ShortText.plural(clients, what) + " in " + processes
                + (processes == 1 ? " process" : " processes");
    }
}
