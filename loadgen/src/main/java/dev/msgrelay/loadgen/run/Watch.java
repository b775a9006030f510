package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.Signals.LinkShare;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.bound.Signals.RelayHolds;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.bound.Signals.Standstills.Still;
import dev.msgrelay.loadgen.bound.Watched;
import dev.msgrelay.loadgen.bound.Watched.Role;
import dev.msgrelay.loadgen.bound.WindowSampler;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.RunResult.Throughput;
import dev.msgrelay.loadgen.worker.Pauses;
import dev.msgrelay.loadgen.worker.Window;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Watches the processes of one run during its window. The controller's thread owns it. */
final class Watch implements AutoCloseable {
    private final Window window;
    private final Fleet fleet;
    private final Child relay;
    private final WindowSampler sampler;
    private final LinkShare link;
    private final Load load;
    private final Pauses.Standstill standstill;
    private final AdminPort admin;
    private AdminPort.Look atBegin;
    private AdminPort.Look atEnd;

    /** @param window that is not over yet */
    Watch(Window window, Load load, Fleet fleet, Contestant.Started contestant) {
        this.window = window;
        this.load = load;
        this.standstill = new Pauses.Standstill(() -> window);
        this.fleet = fleet;
        this.relay = contestant.process();
        this.admin = contestant.admin();
        List<Watched.Process> processes = new ArrayList<>();
        if (relay != null) {
            add(processes, Role.RELAY, List.of(relay), false);
        }
        add(processes, Role.PUBLISHER, fleet.publishers(), false);
        add(processes, Role.SUBSCRIBER, fleet.subscribers(), false);
        // One that is skipped or cut off holds nobody back, although its queue is always full.
        boolean beside = load.slow().policy() != Policy.BACKPRESSURE;
        add(processes, Role.SUBSCRIBER, fleet.slow(), beside);
        Watched watched = new Watched(processes, port(contestant.publish()), port(contestant.subscribe()));
        link = new LinkShare(Double.NaN, Double.NaN, isLink(contestant.publish()), isLink(contestant.subscribe()));
        sampler = WindowSampler.start(SystemTree.proc(), watched, window.begin(), window.end(), load.rate() > 0);
    }

    private static void add(List<Watched.Process> processes, Role role, List<Child> children, boolean beside) {
        for (Child child : children) {
            if (child.pid() > 0) {
                processes.add(new Watched.Process(role, child.name(), child.pid(), beside));
            }
        }
    }

    private static boolean isLink(Endpoint endpoint) {
        return endpoint != null && !endpoint.isWithinHost();
    }

    private static int port(Endpoint endpoint) {
        return endpoint == null ? -1 : endpoint.port();
    }

    /** The measured part begins. */
    void begins() {
        atBegin = admin == null ? null : admin.lookOrNull();
    }

    /** The measured part has ended. */
    void ends() {
        atEnd = admin == null ? null : admin.lookOrNull();
    }

    /** Waits until all looks are taken: the processes have to live so long. */
    void awaitLooks() throws InterruptedException {
        sampler.sampled();
    }

    /** The samples, after the run. */
    Signals signals(Said said, Throughput throughput, Delays delays, Correctness correctness)
            throws InterruptedException {
        Rates rates = rates(said.sent() > 0, throughput, correctness.schedule());
        return new Signals(rates, sampler.sampled(), holds(), link, still(said.subscribers(), delays));
    }

    private Standstills still(List<JsonObject> subscribers, Delays delays) {
        Still deliveries = Still.NONE;
        for (JsonObject subscriber : subscribers) {
            deliveries = deliveries.orLonger(Still.of(subscriber.getObject("pauses")));
        }
        return new Standstills(
                Still.of(standstill.json()),
                still(fleet.publishers()),
                still(fleet.subscribers()),
                deliveries,
                delays.has(Delay.LATENCY) ? delays.latency().getMaxValue() : 0);
    }

    /** By what each says of itself. */
    private static Still still(List<Child> processes) {
        Still longest = Still.NONE;
        for (Child process : processes) {
            Child.Event last = process.latest("progress");
            longest = last == null
                    ? longest
                    : longest.orLonger(Still.of(last.json().getObject("standstill")));
        }
        return longest;
    }

    private Rates rates(boolean counted, Throughput throughput, Punctuality schedule) {
        double seconds = window.measuredNanos() / 1e9;
        return new Rates(
                (double) load.rate() * load.publishers(),
                counted ? throughput.in().messagesPerSecond() : Double.NaN,
                throughput.out().messagesPerSecond() / Math.max(1, load.subscribers()),
                schedule.lateShare(),
                seconds,
                load.publishers() / seconds);
    }

    private RelayHolds holds() {
        return relay == null ? AdminPort.holds(atBegin, atEnd) : holds(relay.all("stats"), window);
    }

    /**
     * From the relay's reports; null where it has said nothing of this around the window.
     */
    static RelayHolds holds(List<Child.Event> reports, Window window) {
        List<Child.Event> around = around(reports, window);
        if (around.size() < 2) {
            return null;
        }
        JsonObject first = around.get(0).json();
        JsonObject last = around.get(around.size() - 1).json();
        long nanos = around.get(around.size() - 1).nanos() - around.get(0).nanos();
        if (nanos <= 0 || !last.has("heldBackMillis") || !last.has("ringCells")) {
            return null;
        }
        double used = 0;
        for (Child.Event event : around) {
            used += (double) event.json().getLong("ringUsedCells")
                    / event.json().getLong("ringCells");
        }
        return new RelayHolds(
                share(first, last, "heldBackMillis", nanos),
                share(first, last, "backpressureMillis", nanos),
                used / around.size());
    }

    private static double share(JsonObject first, JsonObject last, String millis, long nanos) {
        long held = TimeUnit.MILLISECONDS.toNanos(last.getLong(millis) - first.getLong(millis));
        return Math.min(1, (double) held / nanos);
    }

    /** The reports within the window, where they span most of it; else from the last one before to the first one after. */
    private static List<Child.Event> around(List<Child.Event> reports, Window window) {
        List<Child.Event> within = reports.stream()
                .filter(report -> report.nanos() >= window.begin() && report.nanos() <= window.end())
                .toList();
        if (within.size() > 1
                && within.get(within.size() - 1).nanos() - within.get(0).nanos() >= window.measuredNanos() / 2) {
            return within;
        }
        int from = 0;
        int to = reports.size();
        for (int i = 0; i < reports.size(); i++) {
            if (reports.get(i).nanos() <= window.begin()) {
                from = i;
            } else if (reports.get(i).nanos() >= window.end()) {
                to = i + 1;
                break;
            }
        }
        return reports.subList(from, to);
    }

    @Override
    public void close() {
        sampler.close();
        standstill.stop();
    }
}
