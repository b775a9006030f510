package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.evidence.Watched;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.evidence.WindowSampler;
import dev.msgrelay.loadgen.host.CpuGroups;
import dev.msgrelay.loadgen.plan.Got;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Progress;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.Still;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Resources.ProcessUse;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Relay;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import dev.msgrelay.loadgen.worker.Pauses;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.host.SystemTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Collects the evidence about the processes of one run during its window. The controller's thread owns it. */
final class Watch implements AutoCloseable {
    private final Window window;
    private final Load load;
    private final Fleet fleet;
    private final Child relay;
    private final WindowSampler sampler;
    private final Pauses.Standstill standstill;
    private final AdminPort admin;
    private AdminPort.Look atBegin = AdminPort.Look.NONE;
    private AdminPort.Look atEnd = AdminPort.Look.NONE;

    Watch(Window window, Load load, Fleet fleet, Contestant.Started contestant) {
        this.window = window;
        this.load = load;
        this.standstill = new Pauses.Standstill(() -> window);
        this.fleet = fleet;
        this.relay = contestant.process();
        this.admin = contestant.admin();
        List<Watched.Process> processes = new ArrayList<>();
        // A contestant that itself sends messages is treated as a publisher.
        Role role = contestant.sendsByItself() ? Role.PUBLISHER : Role.RELAY;
        add(processes, role, relay == null ? List.of() : List.of(relay), false);
        add(processes, Role.PUBLISHER, fleet.publishers(), false);
        add(processes, Role.SUBSCRIBER, fleet.subscribers(), false);
        // A slow reader with policy skip or disconnect delays no publisher, although its queue is always full.
        add(processes, Role.SUBSCRIBER, fleet.slow(), load.slow().policy() != Policy.BACKPRESSURE);
        Watched watched = new Watched(processes, port(contestant.publish()), port(contestant.subscribe()));
        CpuGroups groups = CpuGroups.of(SystemTree.ofThisHost());
        sampler = new WindowSampler(SystemTree.proc(), groups, watched, window.begin(), window.end(), load.isPaced());
    }

    private static void add(List<Watched.Process> processes, Role role, List<Child> children, boolean beside) {
        children.forEach(child -> processes.add(new Watched.Process(role, child.name(), child.pid(), beside)));
    }

    private static int port(Endpoint endpoint) {
        return endpoint == null ? -1 : endpoint.port();
    }

    void begins() {
        atBegin = look();
    }

    void ends() {
        atEnd = look();
    }

    private AdminPort.Look look() {
        return admin == null ? AdminPort.Look.NONE : admin.lookIfPossible();
    }

    /** Returns the CPU time of a relay that loadgen did not start, if the relay reports it. */
    Optional<ProcessUse> elsewhere() {
        double cores = atEnd.coresSince(atBegin);
        double seconds = cores * window.measuredNanos() / 1e9;
        return Double.isNaN(cores)
                ? Optional.empty()
                : Optional.of(new ProcessUse(
                        RelayContestant.NAME,
                        seconds,
                        Double.NaN,
                        Child.UNKNOWN,
                        admin.uri().getHost()));
    }

    /** Waits until all samples are taken. The processes must not end earlier. */
    void awaitLooks() throws InterruptedException {
        sampler.sampled();
    }

    Signals signals(Throughput passed, LinkShare link, Delays delays, Punctuality schedule, Got got)
            throws InterruptedException {
        double seconds = window.measuredNanos() / 1e9;
        Rates rates = new Rates(
                load.wanted(),
                passed.in() == null ? Double.NaN : passed.in().messagesPerSecond(),
                passed.out().messagesPerSecond() / Math.max(1, load.subscribers()),
                schedule.lateShare(),
                seconds,
                load.publishers() / seconds,
                !load.hasInterval());
        RelayHolds holds = relay == null ? AdminPort.holds(atBegin, atEnd) : holds(relay.all("stats"), window);
        Standstills still = new Standstills(
                standstill.still(),
                still(fleet.publishers()),
                still(fleet.subscribers()),
                got.longestPause(),
                delays.latency() == null ? 0 : delays.latency().getMaxValue());
        return new Signals(rates, sampler.sampled(), holds, link, still);
    }

    private static Still still(List<Child> processes) {
        Still longest = Still.NONE;
        for (Child process : processes) {
            Child.Event last = process.latest("progress");
            longest = last == null
                    ? longest
                    : longest.orLonger(Json.read(last.json(), Progress.class).standstill());
        }
        return longest;
    }

    Relay relay() {
        if (relay == null) {
            return null;
        }
        List<Child.Event> reports = relay.all("stats");
        reports.addAll(relay.all("stopped"));
        if (reports.isEmpty()) {
            return null;
        }
        List<Child.Event> around = enclosing(reports, window);
        JsonNode before = around.get(0).json();
        JsonNode after = around.get(around.size() - 1).json();
        Map<String, Integer> closes = new TreeMap<>();
        reports.get(reports.size() - 1)
                .json()
                .path("closes")
                .properties()
                .forEach(one -> closes.put(one.getKey(), one.getValue().asInt()));
        return new Relay(
                difference(before, after, "gcCount"),
                difference(before, after, "gcMillis"),
                reports.stream()
                        .mapToLong(
                                report -> report.json().path("largestLagBytes").asLong(0))
                        .max()
                        .orElse(0),
                closes);
    }

    private static long difference(JsonNode before, JsonNode after, String field) {
        return after.path(field).asLong(0) - before.path(field).asLong(0);
    }

    static RelayHolds holds(List<Child.Event> reports, Window window) {
        List<Child.Event> around = around(reports, window);
        if (around.size() < 2) {
            return RelayHolds.UNKNOWN;
        }
        JsonNode first = around.get(0).json();
        JsonNode last = around.get(around.size() - 1).json();
        if (!last.has("heldBackMillis") || !last.has("ringCells")) {
            return RelayHolds.UNKNOWN;
        }
        return RelayHolds.of(
                (around.get(around.size() - 1).nanos() - around.get(0).nanos()) / 1e9,
                difference(first, last, "heldBackMillis") / 1e3,
                difference(first, last, "backpressureMillis") / 1e3,
                around.stream()
                        .mapToDouble(event ->
                                (double) event.json().path("ringUsedCells").asLong(0)
                                        / event.json().path("ringCells").asLong(1))
                        .average()
                        .orElse(0));
    }

    /**
     * Returns the reports within the window if they cover half of it; otherwise also the nearest report on each side.
     */
    private static List<Child.Event> around(List<Child.Event> reports, Window window) {
        List<Child.Event> within = reports.stream()
                .filter(report -> report.nanos() >= window.begin() && report.nanos() <= window.end())
                .toList();
        boolean most = within.size() > 1
                && within.get(within.size() - 1).nanos() - within.get(0).nanos() >= window.measuredNanos() / 2;
        return most ? within : enclosing(reports, window);
    }

    /** Returns the reports from the last one before the window to the first one after it. */
    private static List<Child.Event> enclosing(List<Child.Event> reports, Window window) {
        int from = 0;
        int to = reports.size();
        for (int i = 0; i < to; i++) {
            if (reports.get(i).nanos() <= window.begin()) {
                from = i;
            } else if (reports.get(i).nanos() >= window.end()) {
                to = i + 1;
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
