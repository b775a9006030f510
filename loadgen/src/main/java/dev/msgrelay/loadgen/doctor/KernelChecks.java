package dev.msgrelay.loadgen.doctor;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.host.ClockFigures;
import dev.msgrelay.loadgen.host.SystemTree;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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

    private static final List<String> INNER_CLOCKS = Arrays.asList("tsc", "arch_sys_counter");
    private static final List<String> SLOW_CLOCKS = Arrays.asList("hpet", "acpi_pm", "jiffies", "refined-jiffies");

    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)]");

    private KernelChecks() {}

    static Finding kernel(String system, String version) {
        return Finding.at("kernel", system + " " + version)
                .fine(system.equals("Linux"), "epoll, segment sizes and processes' figures are there")
                .note("not Linux: no epoll, no emulated links, and much of this report is unknown")
                .with("system", system)
                .with("version", version);
    }

    static Finding clockSource(SystemTree tree) {
        String source = tree.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
                .orElse(null);
        return Finding.at("clock source", source)
                .unknown("the next line tells what its time stamps are worth")
                .fine(INNER_CLOCKS.contains(source), "read within the process, without a call of the kernel")
                .warning(SLOW_CLOCKS.contains(source), "every time stamp is a slow call: latencies and rates suffer")
                .note("depends on the hypervisor; the next line tells what it costs")
                .with("source", source);
    }

    static Finding nanoTime(ClockFigures figures) {
        String name = "nanoTime";
        if (figures.resolutionNanos() == Long.MAX_VALUE) {
            return Finding.of(Level.IMPOSSIBLE, name, "does not move", "nothing can be timed on this machine");
        }
        return Finding.at(
                        name, format("%.0f ns a call, steps of %,d ns", figures.costNanos(), figures.resolutionNanos()))
                .warning(
                        figures.resolutionNanos() >= COARSE_CLOCK_NANOS,
                        "latencies are no finer than the clock's steps")
                .warning(figures.costNanos() >= CHEAP_CLOCK_NANOS, "every time stamp costs a paced publisher that much")
                .fine("far finer and cheaper than any latency that is measured")
                .with("costNanos", Math.round(figures.costNanos() * 10) / 10.0)
                .with("resolutionNanos", figures.resolutionNanos());
    }

    static Finding autogroup(SystemTree tree) {
        Boolean on = tree.flag("proc/sys/kernel/sched_autogroup_enabled");
        return Finding.at("sched_autogroup", on == null ? null : on ? "1" : "0")
                .unknown("not built into this kernel, or not told: every process counts by itself then")
                .note(
                        Boolean.TRUE.equals(on),
                        "all processes of a run share the cores as one: one busy process of another session gets as much"
                                + " as they together")
                .fine("every process gets its own share of the cores")
                .with("enabled", on);
    }

    static Finding hugePages(SystemTree tree) {
        String mode = tree.text("sys/kernel/mm/transparent_hugepage/enabled")
                .map(CHOSEN::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .orElse(null);
        return Finding.at("transparent huge pages", mode)
                .unknown("if they are on for all, processes may take more memory than they ask for")
                .note(
                        "always".equals(mode),
                        "processes may take more memory than they ask for, and stop for a moment while pages are merged")
                .fine("only where a program asks for them, if at all; the relay does not")
                .with("mode", mode);
    }

    static Finding load(SystemTree tree, int cores) {
        String name = "load average";
        Optional<Double> told = tree.text("proc/loadavg").flatMap(KernelChecks::firstNumber);
        if (told.isEmpty()) {
            return Finding.at(name, null).unknown("whatever else runs on this machine takes its share of every figure");
        }
        double load = told.get();
        return Finding.at(name, format("%.2f on %d core%s", load, cores, cores == 1 ? "" : "s"))
                .fine(load < SOME_LOAD * cores, "hardly anybody else was at work during the last minute")
                .note(load < MUCH_LOAD * cores, "something else was at work during the last minute")
                .warning("something else took much of the cores during the last minute: wait until it is done")
                .with("oneMinute", load);
    }

    private static Optional<Double> firstNumber(String text) {
        try {
            return Optional.of(Double.parseDouble(text.split("\\s+")[0]));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
