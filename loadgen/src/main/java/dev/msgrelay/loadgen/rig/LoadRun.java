package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.evidence.Classifier;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Got;
import dev.msgrelay.loadgen.plan.Histograms;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Sent;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.result.RunRecord.Resources;
import dev.msgrelay.loadgen.result.RunRecord.Resources.ProcessUse;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import dev.msgrelay.loadgen.result.RunRecord.Throughput.Point;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Makes one run, from its first process to its verdict. The controller's thread owns it. Every wait has a time limit.
 *
 * <pre>
 *  start the contestant -&gt; subscribers connect -&gt; publishers connect -&gt; each subscriber gets a first
 *      message of each publisher
 *      -&gt; warm-up -&gt; [ measured window: CPU read at both ends ] -&gt; publishers report
 *      -&gt; subscribers wait for the last message, and report -&gt; the relay is stopped -&gt; verdict
 * </pre>
 */
public final class LoadRun {
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STOP_MILLIS = 60_000;
    private static final long CAUSE_MILLIS = 300;

    private final Plan plan;
    private final Load load;
    private final int round;
    private final String started = now();
    private final RunObserver observer;
    private final Children children;
    private final Contestant.Started contestant;
    private final Fleet fleet;
    /** The contestant's process, which may belong to other {@link Children}; null if loadgen did not start it. */
    private final Child relay;

    private Optional<Live> lastLive = Optional.empty();

    public LoadRun(Plan plan, int round, RunObserver observer, Contestant.Started contestant, Children workers) {
        this.plan = plan;
        this.load = plan.load().withPolicy(plan.contestant().policy());
        this.round = round;
        this.observer = observer;
        this.children = workers;
        this.contestant = contestant;
        this.relay = contestant.process();
        this.fleet = new Fleet(workers, load);
    }

    /** Returns the current time in the format of results: ISO 8601, with the zone. */
    public static String now() {
        return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(ZonedDateTime.now().truncatedTo(ChronoUnit.SECONDS));
    }

    public static RunRecord alone(Plan plan, int round, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        try (Children children = new Children(plan.placement())) {
            try {
                observer.phase("starting " + plan.contestant().name());
                Contestant.Started contestant = plan.contestant().start(children, plan.load());
                return new LoadRun(plan, round, observer, contestant, children).run(true);
            } catch (InterruptedException e) {
                // The JVM is about to end, and must print results first, so it does not wait for children.
                children.abandon();
                throw e;
            }
        }
    }

    /** Makes the run with workers that serve several runs. After a failure, these workers cannot be used again. */
    public RunRecord run() throws IOException, RunException, InterruptedException {
        RunRecord record = run(false);
        children.endJobs();
        return record;
    }

    private RunRecord run(boolean stops) throws IOException, RunException, InterruptedException {
        try {
            observer.phase("connecting " + load.subscribers() + " -> " + load.publishers());
            if (load.fromState()) {
                // Publishers are ready when they have filled the state, and publish while subscribers join.
                fleet.startPublishers(contestant);
            }
            fleet.startSubscribers(contestant);
            if (!contestant.sendsByItself() && !load.fromState()) {
                fleet.startPublishers(contestant);
            }
            fleet.awaitPrimed();
            return measure(stops);
        } catch (RunException e) {
            // The end of the relay's process explains more than a worker's closed connection, but may be noticed later.
            if (relay != null) {
                relay.checkHealthy(CAUSE_MILLIS);
            }
            throw e;
        }
    }

    public Optional<Live> lastLive() {
        return lastLive;
    }

    private RunRecord measure(boolean stops) throws RunException, InterruptedException {
        Senders senders = new Senders(fleet.congestion(), plan.contestant().congestion(contestant));
        observer.phase("warm-up");
        Window window = plan.timing().windowFrom(System.nanoTime());
        fleet.sendWindow(window);
        if (contestant.sendsByItself()) {
            relay.send("window", window);
        }
        try (Watch watch = new Watch(window, load, fleet, contestant)) {
            await("warm-up", window.begin(), window);
            Map<Child, Cpu> cpuAtBegin = cpu();
            watch.begins();
            observer.phase("measuring");
            await("measuring", window.end(), window);
            List<ProcessUse> used = usedSince(cpuAtBegin);
            watch.ends();
            observer.phase("draining");
            if (contestant.sendsByItself()) {
                relay.await("result", Fleet.PUBLISHED_NANOS);
            }
            Sent sent = fleet.awaitPublished();
            watch.awaitLooks();
            Got slow = fleet.awaitGot(fleet.slow(), Map.of());
            Got got = fleet.awaitGot(fleet.subscribers(), sent.byPublisher());
            checkHealthy();
            if (relay != null && stops) {
                stop(relay);
            }
            return record(window, watch, senders, used, sent, got, slow);
        }
    }

    private RunRecord record(
            Window window, Watch watch, Senders senders, List<ProcessUse> used, Sent sent, Got got, Got slow)
            throws InterruptedException {
        long nanos = window.measuredNanos();
        Traffic in =
                new Traffic(sent.sum(Sent.Published::messagesMeasured), sent.sum(Sent.Published::bytesMeasured), nanos);
        Traffic out = new Traffic(got.sum(one -> one.result().messages()), got.sum(Got.Received::bytes), nanos);
        watch.elsewhere().ifPresent(relays -> used.add(0, relays));
        List<Point> timeline =
                Timeline.of(window.begin(), window.end(), fleet.publishers(), fleet.subscribers(), relay);
        Throughput throughput = new Throughput(contestant.sendsByItself() ? null : in, out, timeline);
        observer.progress(Live.measured(window, throughput));
        Delays delays = Delays.of(
                load,
                Histograms.sum(got.subscribers().stream().map(Got.Received::latency)),
                Histograms.sum(sent.publishers().stream().map(Sent.Published::acknowledgedAfter)));
        Correctness correctness = Verdict.correctness(load, sent, got, slow);
        Signals signals =
                watch.signals(throughput, plan.linkShare(throughput, contestant), delays, correctness.schedule(), got);
        return new RunRecord(
                new Moment(round, started, window.begin() - window.sendFrom(), nanos),
                throughput,
                delays,
                correctness,
                new Resources(used, watch.relay(), senders, Classifier.classify(signals), signals),
                Verdict.of(load, out, correctness, signals, got));
    }

    private void checkHealthy() throws RunException {
        children.checkHealthy();
        if (relay != null) {
            relay.checkHealthy();
        }
    }

    private record Cpu(long nanos, long kernelNanos) {
        static Cpu of(Child child) {
            return new Cpu(child.cpuNanos(), child.kernelNanos());
        }

        static double seconds(long then, long now) {
            return then == Child.UNKNOWN || now == Child.UNKNOWN ? Double.NaN : (now - then) / 1e9;
        }
    }

    /** Returns the CPU time of each process. The contestant comes first, if it runs on this host. */
    private Map<Child, Cpu> cpu() {
        Map<Child, Cpu> cpu = new LinkedHashMap<>();
        if (relay != null) {
            cpu.put(relay, Cpu.of(relay));
        }
        children.all().forEach(child -> cpu.computeIfAbsent(child, Cpu::of));
        return cpu;
    }

    private List<ProcessUse> usedSince(Map<Child, Cpu> cpuThen) {
        List<ProcessUse> used = new ArrayList<>();
        cpuThen.forEach((child, then) -> {
            Cpu now = Cpu.of(child);
            boolean here = child.site() == Site.HERE
                    || child.site() == plan.placement().relay();
            used.add(new ProcessUse(
                    child.name(),
                    Cpu.seconds(then.nanos(), now.nanos()),
                    Cpu.seconds(then.kernelNanos(), now.kernelNanos()),
                    child.peakResidentBytes(),
                    here ? "here" : child.site().name()));
        });
        return used;
    }

    /** Waits until {@code moment}. Meanwhile it checks the children and reports progress. */
    private void await(String phase, long moment, Window window) throws RunException, InterruptedException {
        long left;
        while ((left = moment - System.nanoTime()) > 0) {
            // Progress is reported once in every second of the run, even if a wait begins or ends within the second.
            long tick = TICK_NANOS - Math.floorMod(moment - left - window.sendFrom(), TICK_NANOS);
            TimeUnit.NANOSECONDS.sleep(Math.min(left, tick));
            checkHealthy();
            if (tick < left && System.nanoTime() - window.sendFrom() >= TICK_NANOS) {
                Live live = Live.of(phase, window, fleet, relay);
                lastLive = Optional.of(live);
                observer.progress(live);
            }
        }
    }

    /**
     * Stops the relay by SIGTERM, so that it sends its last report.
     *
     * @throws RunException the relay did not end in time, and was killed
     */
    public static void stop(Child relay) throws RunException, InterruptedException {
        relay.terminate();
        if (!relay.awaitExit(STOP_MILLIS)) {
            relay.kill();
            throw new RunException(relay.name() + " did not end within " + TimeUnit.MILLISECONDS.toSeconds(STOP_MILLIS)
                    + " s after SIGTERM and was killed");
        }
    }
}
