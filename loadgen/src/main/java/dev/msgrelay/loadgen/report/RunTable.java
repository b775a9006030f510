package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.run.Live;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.Received;
import dev.msgrelay.loadgen.run.RelayFigures;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.SlowResult;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.Traffic;
import java.util.List;
import org.HdrHistogram.Histogram;

/** A run's result for people. */
public final class RunTable {
    /** More subscribers than this are told as one line, as long as nothing is wrong with any of them. */
    private static final int SUBSCRIBERS_LISTED = 16;

    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private final StringBuilder text = new StringBuilder();

    private RunTable() {}

    /**
     * All of it.
     *
     * @param transport of its connections: "TCP"
     */
    public static String of(RunResult result, String transport) {
        RunTable table = new RunTable();
        table.header(result, transport);
        table.traffic(result);
        table.subscribers(result);
        table.slow(result);
        table.latency(result);
        table.skew(result.received().skew());
        table.processes(result);
        table.bound(result);
        return table.text.toString();
    }

    /**
     * What can be said of a run that was interrupted.
     *
     * @param live the last that was seen of it, or null when nothing flowed yet
     */
    public static String partial(Live live) {
        if (live == null) {
            return "PARTIAL: interrupted before the first message";
        }
        return Units.format(
                "PARTIAL: interrupted after %.0f of %.0f s (%s); unchecked, last second: in %s msg/s, out %s msg/s",
                live.elapsedNanos() / 1e9,
                live.totalNanos() / 1e9,
                live.phase(),
                Units.count(live.in()),
                Units.count(live.out()));
    }

    private void header(RunResult result, String transport) {
        Load load = result.load();
        line(
                "%s: %d publisher%s -> %d subscriber%s, %s, %s, %s, %.1f s after a warm-up of %.1f s",
                result.middle(),
                load.publishers(),
                load.publishers() == 1 ? "" : "s",
                load.subscribers(),
                load.subscribers() == 1 ? "" : "s",
                bodies(load),
                pace(load),
                transport,
                result.timing().measured().toMillis() / 1e3,
                result.timing().warmup().toMillis() / 1e3);
    }

    private static String bodies(Load load) {
        return load.body().describe() + (load.body().isFixed() ? "" : " in the order of seed " + load.seed());
    }

    private static String pace(Load load) {
        String pace = load.rate() == 0 ? "full speed" : load.rate() + " msg/s each";
        int burst = load.pace().burst();
        int batch = load.writes().messages();
        return pace + (burst == 1 ? "" : " in bursts of " + burst) + (batch == 0 ? "" : ", " + batch + " to a write");
    }

    private void traffic(RunResult result) {
        line("");
        if (result.published().total() > 0) {
            trafficLine("in", result.published().traffic());
        }
        trafficLine("out", result.received().traffic());
        punctuality(result.published().punctuality());
    }

    private void punctuality(Punctuality kept) {
        if (kept.scheduled() > 0) {
            line(
                    "  schedule: %.3f %% within 1 ms (%,d late); after the intended time left  p50 %s  p99 %s  max %s",
                    100 * (1 - kept.lateShare()),
                    kept.late(),
                    Units.nanos(kept.lateness().getValueAtPercentile(50)),
                    Units.nanos(kept.lateness().getValueAtPercentile(99)),
                    Units.nanos(kept.lateness().getMaxValue()));
            line("  publishers: %s", kept.means().text());
        }
    }

    private void trafficLine(String name, Traffic traffic) {
        line(
                "  %-6s %12s msg/s %10.1f MB/s %,18d messages",
                name, Units.count(traffic.messagesPerSecond()), traffic.megabytesPerSecond(), traffic.messages());
    }

    private void subscribers(RunResult result) {
        if (!result.load().verify()) {
            line("  not checked: subscribers only counted");
            return;
        }
        Received received = result.received();
        line("");
        line(
                "  %-12s %16s %12s %12s %12s %12s",
                "subscriber", "messages", "lost", "duplicated", "reordered", "corrupted");
        List<SubscriberResult> all = received.subscribers();
        boolean list = all.size() <= SUBSCRIBERS_LISTED;
        for (SubscriberResult one : all) {
            if (list || !isClean(one)) {
                subscriber("" + one.index(), one.messages(), one.faults());
            }
        }
        if (all.size() > 1) {
            subscriber(
                    "all " + all.size(),
                    received.traffic().messages(),
                    new SubscriberResult.Faults(
                            received.sum(SubscriberResult::lost),
                            received.sum(SubscriberResult::tail),
                            received.sum(SubscriberResult::duplicated),
                            received.sum(SubscriberResult::reordered),
                            received.sum(SubscriberResult::corrupted),
                            received.sum(SubscriberResult::foreign)));
        }
    }

    private static boolean isClean(SubscriberResult one) {
        return one.lost() + one.duplicated() + one.reordered() + one.corrupted() == 0 && one.closed() == null;
    }

    private void subscriber(String name, long messages, SubscriberResult.Faults faults) {
        line(
                "  %-12s %,16d %,12d %,12d %,12d %,12d",
                name, messages, faults.lost(), faults.duplicated(), faults.reordered(), faults.corrupted());
    }

    private void slow(RunResult result) {
        for (SlowResult one : result.slow()) {
            line(
                    "  slow subscriber: %,d messages, missed %,d, told in %,d gaps%s",
                    one.messages(), one.missed(), one.gaps(), one.closed() == null ? "" : "; cut off: " + one.closed());
        }
    }

    private void latency(RunResult result) {
        Histogram latency = result.received().latency();
        if (latency.getTotalCount() == 0) {
            return;
        }
        int sampling = result.load().sampling();
        line("");
        line("  latency%s  (%s, from the intended time of sending)", percentiles(latency), sampled(sampling));
    }

    private void skew(Arrivals.Skew skew) {
        if (skew.nanos().getTotalCount() > 0) {
            line(
                    "  skew   %s  (%s, from the first subscriber to the last%s)",
                    percentiles(skew.nanos()),
                    sampled(skew.sampling()),
                    skew.incomplete() == 0
                            ? ""
                            : Units.format("; %,d that one of them did not get are left out", skew.incomplete()));
        }
    }

    private static String percentiles(Histogram histogram) {
        StringBuilder line = new StringBuilder();
        for (double percentile : PERCENTILES) {
            line.append(Units.format(
                    "  p%s %s",
                    percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile,
                    Units.nanos(histogram.getValueAtPercentile(percentile))));
        }
        return line + "  max " + Units.nanos(histogram.getMaxValue());
    }

    private static String sampled(long sampling) {
        return sampling == 1 ? "every message" : "one message in " + sampling;
    }

    private void processes(RunResult result) {
        line("");
        line("  %-20s %14s %12s", "process", "CPU seconds", "peak memory");
        for (ProcessUse use : result.processes()) {
            line(
                    "  %-20s %14s %12s",
                    use.name(),
                    use.cpuNanos() < 0 ? "unknown" : Units.format("%.2f", use.cpuSeconds()),
                    use.peakResidentBytes() < 0 ? "unknown" : Units.bytes(use.peakResidentBytes()));
        }
        RelayFigures relay = result.relay();
        if (relay != null) {
            line(
                    "  relay: %d garbage collections (%d ms) within the window, largest lag %s%s, connections ended %s",
                    relay.gcCount(),
                    relay.gcMillis(),
                    Units.bytes(relay.largestLagBytes()),
                    relay.loopsInUse() > 1 ? ", " + relay.loopsInUse() + " event loops at work" : "",
                    relay.closes());
        }
    }

    private void bound(RunResult result) {
        if (result.observed() != null) {
            line("");
            BoundText.lines(result.observed().bound()).forEach(bound -> line("%s", bound));
        }
    }

    private void line(String pattern, Object... values) {
        text.append(Units.format(pattern, values).stripTrailing()).append('\n');
    }
}
