package dev.msgrelay.loadgen.doctor;

import dev.msgrelay.loadgen.host.ClockFigures;
import dev.msgrelay.loadgen.host.SystemTree;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel: clock, scheduler, memory pages, and who else is at work. */
final class KernelChecks {
    private static final double CHEAP_CLOCK_NANOS = 100;
    private static final long COARSE_CLOCK_NANOS = TimeUnit.MICROSECONDS.toNanos(1);

    /** Of all cores: what others may be doing while we measure. */
    private static final double SOME_LOAD = 0.25;

    private static final double MUCH_LOAD = 0.5;

    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)]");

    private KernelChecks() {}

    static Finding kernel(String system, String version) {
        Finding finding = system.equals("Linux")
                ? Finding.fine(
                        "kernel", system + " " + version, "epoll, segment sizes and processes' figures are there")
                : Finding.note(
                        "kernel",
                        system + " " + version,
                        "not Linux: no epoll, no emulated links, and much of this report is unknown");
        return finding.with("system", system).with("version", version);
    }

    static Finding clockSource(SystemTree tree) {
        String name = "clock source";
        Optional<String> told = tree.text("sys/devices/system/clocksource/clocksource0/current_clocksource");
        if (told.isEmpty()) {
            return Finding.unknown(name, "the next line tells what its time stamps are worth");
        }
        String source = told.get();
        Finding finding =
                switch (source) {
                    case "tsc", "arch_sys_counter" ->
                        Finding.fine(name, source, "read within the process, without a call of the kernel");
                    case "hpet", "acpi_pm", "jiffies", "refined-jiffies" ->
                        Finding.warning(name, source, "every time stamp is a slow call: latencies and rates suffer");
                    default ->
                        Finding.note(name, source, "depends on the hypervisor; the next line tells what it costs");
                };
        return finding.with("source", source);
    }

    static Finding nanoTime(ClockFigures figures) {
        String name = "nanoTime";
        if (figures.resolutionNanos() == Long.MAX_VALUE) {
            return Finding.of(Level.IMPOSSIBLE, name, "does not move", "nothing can be timed on this machine");
        }
        String value = Texts.format("%.0f ns a call, steps of %,d ns", figures.costNanos(), figures.resolutionNanos());
        Finding finding;
        if (figures.resolutionNanos() >= COARSE_CLOCK_NANOS) {
            finding = Finding.warning(name, value, "latencies are no finer than the clock's steps");
        } else if (figures.costNanos() >= CHEAP_CLOCK_NANOS) {
            finding = Finding.warning(name, value, "every time stamp costs a paced publisher that much");
        } else {
            finding = Finding.fine(name, value, "far finer and cheaper than any latency that is measured");
        }
        return finding.with("costNanos", Math.round(figures.costNanos() * 10) / 10.0)
                .with("resolutionNanos", figures.resolutionNanos());
    }

    static Finding autogroup(SystemTree tree) {
        String name = "sched_autogroup";
        OptionalLong told = tree.number("proc/sys/kernel/sched_autogroup_enabled");
        if (told.isEmpty()) {
            return Finding.note(
                    name, "unknown", "not built into this kernel, or not told: every process counts by itself then");
        }
        boolean on = told.getAsLong() != 0;
        Finding finding = on
                ? Finding.note(
                        name,
                        "1",
                        "all processes of a run share the cores as one: one busy process of another session gets as much"
                                + " as they together")
                : Finding.fine(name, "0", "every process gets its own share of the cores");
        return finding.with("enabled", on);
    }

    static Finding hugePages(SystemTree tree) {
        String name = "transparent huge pages";
        Optional<String> told = tree.text("sys/kernel/mm/transparent_hugepage/enabled")
                .map(CHOSEN::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1));
        if (told.isEmpty()) {
            return Finding.unknown(name, "if they are on for all, processes may take more memory than they ask for");
        }
        Finding finding = told.get().equals("always")
                ? Finding.note(
                        name,
                        "always",
                        "processes may take more memory than they ask for, and stop for a moment while pages are merged")
                : Finding.fine(name, told.get(), "only where a program asks for them, if at all; the relay does not");
        return finding.with("mode", told.get());
    }

    static Finding load(SystemTree tree, int cores) {
        String name = "load average";
        Optional<Double> told = tree.text("proc/loadavg").flatMap(KernelChecks::firstNumber);
        if (told.isEmpty()) {
            return Finding.unknown(name, "whatever else runs on this machine takes its share of every figure");
        }
        double load = told.get();
        String value = Texts.format("%.2f on %d core%s", load, cores, cores == 1 ? "" : "s");
        Finding finding;
        if (load < SOME_LOAD * cores) {
            finding = Finding.fine(name, value, "hardly anybody else was at work during the last minute");
        } else if (load < MUCH_LOAD * cores) {
            finding = Finding.note(name, value, "something else was at work during the last minute");
        } else {
            finding = Finding.warning(
                    name, value, "something else took much of the cores during the last minute: wait until it is done");
        }
        return finding.with("oneMinute", load);
    }

    /** @param obstacle why publishers would not get it; empty where they would */
    static Finding realTime(String obstacle) {
        String name = "real-time publishers";
        Finding finding = obstacle.isEmpty()
                ? Finding.fine(
                        name,
                        "yes",
                        "at a fixed rate one publisher runs before all others, and no core falls asleep: it keeps its"
                                + " schedule also where cores are few")
                : Finding.note(
                        name,
                        "no (" + obstacle + ")",
                        "at a fixed rate publishers wait for a core like everybody else: with few cores some messages leave"
                                + " over 1 ms late");
        return finding.with("realTime", obstacle.isEmpty());
    }

    private static Optional<Double> firstNumber(String text) {
        try {
            return Optional.of(Double.parseDouble(text.split("\\s+")[0]));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
