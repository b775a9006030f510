package dev.msgrelay.loadgen.host;

import static dev.msgrelay.loadgen.host.Finding.Level.FINE;
import static dev.msgrelay.loadgen.host.Finding.Level.IMPOSSIBLE;
import static dev.msgrelay.loadgen.host.Finding.Level.NOTE;
import static dev.msgrelay.loadgen.host.Finding.Level.WARNING;
import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.host.Finding.Level;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.host.SystemTree;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Examines eleven facts about this machine, and what each means for a run. Changes nothing on the machine. */
public final class Doctor {
    /** One core each for publisher, relay, subscriber and the system. */
    private static final int CORES_WANTED = 4;
    /**
     * A hop that takes less is between cores that share a cache. Such hops took 45 to 67 ns in a measurement, others
     * 230 ns.
     */
    private static final double NEAR_NANOS = 100;
    /** Memory for relay, publisher, subscriber and controller (together about 0.5 GB), and a reserve. */
    private static final long MEMORY_WANTED = 1_000_000_000L;

    /**
     * The default congestion control is reported as slow if its speed over loopback is below this fraction of the speed
     * of a congestion control that does not pace. Two streams with the same congestion control differ by less.
     */
    private static final double BRAKED = 0.8;

    private static final String DEFAULT_CONGESTION = "proc/sys/net/ipv4/tcp_congestion_control";

    private static final long FEW_FILES = 4_096;
    private static final long TOO_FEW_FILES = 64;
    private static final double SOME_LOAD = 0.25;
    private static final double CHEAP_CLOCK_NANOS = 100;
    private static final long COARSE_CLOCK_NANOS = 1_000;
    private static final int CLOCK_READINGS = 200_000;
    /** Environment variables from which every JVM of a run takes options. */
    private static final List<String> VARIABLES = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private Doctor() {}

    /**
     * @param tree file system of this host, from its root
     * @param loopback speeds of loopback; empty if they were not measured
     */
    public static List<Finding> examine(SystemTree tree, Tool tool, Optional<LoopbackSpeeds> loopback)
            throws InterruptedException {
        Machine machine = Machine.here();
        return List.of(
                cores(machine.cores(), machine.cpu()),
                hop(Machine.hopNanos()),
                quota(CpuGroups.of(tree)),
                virtual(tree),
                load(tree, machine.cores()),
                clock(System::nanoTime),
                memory(tree),
                openFiles(tree),
                options(System.getenv()),
                congestionControl(tree, machine.cores(), loopback),
                lanes(LaneTools.probe(tool)));
    }

    /** Returns in one line whether runs are possible, and whether their figures are doubtful. */
    public static String summary(List<Finding> findings) {
        if (!runsArePossible(findings)) {
            return "no: runs are not possible on this machine";
        }
        long warnings = count(findings, WARNING);
        return warnings == 0
                ? "yes: runs are possible, and nothing seen here spoils their figures"
                : "yes, runs are possible, but figures taken now are doubtful: "
                        + ShortText.counted(warnings, "warning");
    }

    public static List<Finding> sorted(List<Finding> findings) {
        return findings.stream()
                .sorted(Comparator.comparing(Finding::level).reversed())
                .toList();
    }

    public static boolean runsArePossible(List<Finding> findings) {
        return count(findings, IMPOSSIBLE) == 0;
    }

    private static long count(List<Finding> findings, Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    static Finding cores(int cores, String model) {
        String meaning = cores < 2
                ? "publisher, relay and subscriber take turns: latencies are those of the scheduler"
                : cores < CORES_WANTED
                        ? "publisher, relay, subscriber and the system share them: figures are less than the relay's own"
                        : "publisher, relay, subscriber and the system can have one each";
        return new Finding(
                "cores", cores + " (" + model + ")", cores < 2 ? WARNING : cores < CORES_WANTED ? NOTE : FINE, meaning);
    }

    /** @param nanos time of a hop; NaN if there is only one core */
    static Finding hop(double nanos) {
        String name = "core-to-core hop";
        if (Double.isNaN(nanos)) {
            return unknown(name, "there is one core only");
        }
        String value = format("%.0f ns", nanos);
        if (nanos < NEAR_NANOS) {
            return new Finding(name, value, FINE, "the cores share a cache");
        }
        return new Finding(
                name,
                value,
                WARNING,
                CoreHop.isUndisturbed(nanos)
                        ? "the cores are far apart: set only runs in turn against each other"
                        : "no hop takes that long: one of the two cores was busy with something else");
    }

    static Finding quota(CpuGroups groups) {
        String name = "CPU quota";
        if (groups.groups().directories().isEmpty()) {
            return unknown(name, "a container's limit makes all that is in it stand still for a part of each period");
        }
        return groups.lowest()
                .map(lowest -> new Finding(
                        name,
                        lowest.text(),
                        WARNING,
                        "where it is reached all stand still until the next period: lift the limit of " + lowest.group()
                                + ", or the run is marked"))
                .orElseGet(() -> new Finding(name, "none", FINE, "no cgroup makes a run stand still"));
    }

    static Finding virtual(SystemTree tree) {
        String name = "virtual machine";
        String meaning = "the host lends its cores to others: set only runs in turn against each other";
        return tree.field("proc/cpuinfo", "flags")
                .map(flags -> List.of(flags.split(" ")).contains("hypervisor"))
                .map(yes -> yes
                        ? new Finding(name, "yes", NOTE, meaning)
                        : new Finding(name, "no", FINE, "the cores are this system's own"))
                .orElseGet(() -> unknown(name, "if it is one, " + meaning));
    }

    static Finding load(SystemTree tree, int cores) {
        String name = "load average";
        OptionalDouble told = firstNumber(tree.text("proc/loadavg").orElse(""));
        if (told.isEmpty()) {
            return unknown(name, "other programs take their share of every figure");
        }
        boolean quiet = told.getAsDouble() < SOME_LOAD * cores;
        return new Finding(
                name,
                format("%.2f on %d core%s", told.getAsDouble(), cores, cores == 1 ? "" : "s"),
                quiet ? FINE : WARNING,
                quiet
                        ? "hardly anybody else was at work during the last minute"
                        : "something else was at work during the last minute: wait until it is done");
    }

    static Finding clock(LongSupplier clock) {
        long least = Long.MAX_VALUE;
        long start = clock.getAsLong();
        long last = start;
        for (int i = 0; i < CLOCK_READINGS; i++) {
            long now = clock.getAsLong();
            least = now == last ? least : Math.min(least, Math.abs(now - last));
            last = now;
        }
        if (least == Long.MAX_VALUE) {
            return new Finding("clock", "does not move", IMPOSSIBLE, "nothing can be timed on this machine");
        }
        double cost = (double) (last - start) / CLOCK_READINGS;
        boolean fine = least < COARSE_CLOCK_NANOS && cost < CHEAP_CLOCK_NANOS;
        return new Finding(
                "clock",
                format("%.0f ns a call, steps of %,d ns", cost, least),
                fine ? FINE : WARNING,
                fine
                        ? "far finer and cheaper than any latency that is measured"
                        : "coarse, costly, or the core was busy: no latency is finer than a step, a time stamp costs a call");
    }

    static Finding memory(SystemTree tree) {
        String use = "relay, publisher, subscriber and controller take about 0.5 GB, each further process 50 MB";
        return tree.field("proc/meminfo", "MemAvailable")
                .map(text -> text.replaceAll("\\D", ""))
                .filter(digits -> !digits.isEmpty())
                .map(digits -> Long.parseLong(digits) << 10)
                .map(bytes -> new Finding(
                        "memory",
                        format("%.1f GB available", bytes / 1e9),
                        bytes < MEMORY_WANTED ? WARNING : FINE,
                        use))
                .orElseGet(() -> unknown("memory", use));
    }

    static Finding openFiles(SystemTree tree) {
        String name = "open files";
        String soft = tree.field("proc/self/limits", "Max open files")
                .map(text -> text.split("\\s+")[0])
                .orElse("");
        if (soft.isEmpty()) {
            return unknown(name, "each connection takes one in every process that it ends in");
        }
        long limit = soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
        return new Finding(
                name,
                soft,
                limit < TOO_FEW_FILES ? IMPOSSIBLE : limit < FEW_FILES ? NOTE : FINE,
                limit < TOO_FEW_FILES
                        ? "not enough for a JVM and its sockets: raise 'ulimit -n'"
                        : "each connection takes one in every process that it ends in");
    }

    static Finding options(Map<String, String> environment) {
        String inherited = VARIABLES.stream()
                .filter(variable -> !environment.getOrDefault(variable, "").isBlank())
                .map(variable -> variable + "=" + environment.get(variable))
                .collect(Collectors.joining(", "));
        return inherited.isEmpty()
                ? new Finding("JVM options", "none inherited", FINE, "the processes of a run have options of their own")
                : new Finding("JVM options", inherited, WARNING, "every process of a run takes them up: unset them");
    }

    static Finding congestionControl(SystemTree tree, int cores, Optional<LoopbackSpeeds> loopback) {
        String name = "TCP congestion control";
        if (loopback.isPresent()) {
            boolean quiet = load(tree, cores).level() != WARNING;
            return measured(name, tree.text(DEFAULT_CONGESTION).orElse("unknown"), quiet, loopback.get());
        }
        return tree.text(DEFAULT_CONGESTION)
                .map(chosen -> chosen.equals("cubic") || chosen.equals("reno")
                        ? new Finding(name, chosen, FINE, "does not pace: the faster kind for loopback")
                        : new Finding(name, chosen, NOTE, "may pace, and be slower over loopback than cubic"))
                .orElseGet(() -> unknown(name, "it moves the speed of loopback by half"));
    }

    /** @param quiet whether the cores are free. Otherwise a lack of cores hides the effect of congestion control. */
    private static Finding measured(String name, String chosen, boolean quiet, LoopbackSpeeds loopback) {
        boolean brakes = loopback.ratio() < BRAKED;
        return new Finding(
                name,
                format("%s, by which loopback has %.2f of its speed by %s", chosen, loopback.ratio(), loopback.other()),
                brakes || !quiet ? NOTE : FINE,
                brakes
                        ? "relay and loadgen send by " + loopback.other()
                                + " within this host; for programs that cannot"
                                + " choose, as in Java or Node: sysctl net.ipv4.tcp_congestion_control="
                                + loopback.other()
                        : "no brake was seen on loopback"
                                + (quiet ? "" : "; but other programs hide one: measure when they are done"),
                loopback.ratio());
    }

    static Finding lanes(LaneTools tools) {
        return tools.available()
                ? new Finding(
                        "emulated links", "possible " + tools.way(), FINE, "network namespaces and tc tbf work here")
                : new Finding(
                        "emulated links",
                        "not possible",
                        NOTE,
                        tools.reason() + ": needs ip, tc, and root or user namespaces");
    }

    private static Finding unknown(String name, String meaning) {
        return new Finding(name, "unknown", NOTE, meaning);
    }

    private static OptionalDouble firstNumber(String text) {
        try {
            return OptionalDouble.of(Double.parseDouble(text.split("\\s+")[0]));
        } catch (NumberFormatException e) {
            return OptionalDouble.empty();
        }
    }
}
