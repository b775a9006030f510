package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;
import static dev.msgrelay.loadgen.report.RunEvidence.longest;
import static dev.msgrelay.loadgen.report.RunEvidence.nanos;
import static dev.msgrelay.loadgen.report.RunEvidence.percentiles;
import static dev.msgrelay.loadgen.report.RunEvidence.rate;

import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Observed.Kind;
import dev.msgrelay.loadgen.rig.Live;
import dev.msgrelay.protocol.text.ShortText;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The results of {@code run} for people: in a few lines what it gave, and on demand what says so. */
public final class RunText {
    private static final List<Double> OF_CURVE = List.of(50.0, 99.0, 99.9);

    private final LaneResult lane;
    private final List<Part> parts;
    private final Part first;
    private final StringBuilder text = new StringBuilder();

    private record Part(Cell cell, RunRecord run) {
        static List<Part> of(Results results) {
            return results.lanes().get(0).cells().stream()
                    .flatMap(cell -> cell.runs().stream().map(run -> new Part(cell, run)))
                    .toList();
        }

        Load load() {
            return cell.load();
        }

        Signals signals() {
            return run.resources().signals();
        }

        Correctness checks() {
            return run.correctness();
        }

        boolean isPaced() {
            return load().isPaced();
        }

        boolean isTimed() {
            return run.delays().latency() != null;
        }

        String pace() {
            return isPaced() ? Unit.COUNT.plain(load().wanted()) + " msg/s" : "full speed";
        }

        double late() {
            return checks().schedule().lateShare();
        }

        /** Whether all messages of a rate left and came, and at most 0.1 % of them left late. */
        boolean isKept() {
            return isPaced() && run.outcome().passed() && signals().rates().kept() && late() <= Rates.MAX_LATE_SHARE;
        }

        /** Whether the generator's own lateness is in this percentile: the relay's is its own latency. */
        boolean isOwnLateness(double percentile) {
            return late() * 100 > 100 - percentile && !signals().lateBehindRelay();
        }

        String percentile(double percentile) {
            double nanos = run.delays().latencyAt(percentile);
            return RunEvidence.nanos(nanos) + (isOwnLateness(percentile) && !Double.isNaN(nanos) ? " *" : "");
        }
    }

    private RunText(Results results) {
        this.lane = results.lanes().get(0);
        this.parts = Part.of(results);
        this.first = parts.get(0);
    }

    /**
     * The result of a run, in some 15 lines as long as nothing is wrong; the verdict is the first one.
     *
     * @param results of one lane, with a cell of one run for each rate, by their rates; full speed comes first
     * @param explain with the evidence: each subscriber and process, and what the run was bound by
     */
    public static String of(Results results, String contestant, String transport, boolean explain) {
        RunText told = new RunText(results);
        told.verdict();
        told.header(contestant, transport);
        results.notes().forEach(note -> told.line("  %s", note));
        if (!told.first.isPaced()) {
            told.speed();
        }
        told.slow();
        told.parts.forEach(told::acknowledged);
        told.latency();
        BoundBy bound = told.first.run().resources().boundBy();
        told.item("bound by", "%s: %s", bound.kind(), bound.reasons().get(0));
        told.machine(results);
        if (explain) {
            told.parts.forEach(part -> told.text.append('\n').append(RunEvidence.of(part.pace(), part.run())));
        }
        return told.text.toString();
    }

    /** The highest rate that was kept, and its p99, within a limit that is not null; nothing without a latency. */
    public static List<String> headline(Results results, Long p99Nanos) {
        List<Part> timed = Part.of(results).stream()
                .filter(part -> part.isPaced() && part.isTimed())
                .toList();
        if (timed.isEmpty()) {
            return List.of();
        }
        String limit = p99Nanos == null ? "" : " with p99 within " + nanos(p99Nanos);
        return List.of(timed.stream()
                .filter(Part::isKept)
                .filter(part -> p99Nanos == null || part.run().delays().latencyAt(99) <= p99Nanos)
                .max(Comparator.comparingDouble(part -> part.load().wanted()))
                .map(part -> format(
                        "highest rate kept%s: %s, p99 %s",
                        limit, part.pace(), nanos(part.run().delays().latencyAt(99))))
                .orElse("no rate was kept" + limit + ": at most 0.1 % of the messages may leave late"));
    }

    /** The line about a run that was interrupted; {@code live} is null when nothing flowed yet. */
    public static String partial(Live live) {
        return live == null
                ? "PARTIAL: interrupted before the first message"
                : format(
                        "PARTIAL: interrupted after %.0f of %.0f s (%s); unchecked, last second: in %s msg/s, out %s msg/s",
                        live.elapsedNanos() / 1e9,
                        live.totalNanos() / 1e9,
                        live.phase(),
                        Unit.COUNT.plain(live.in()),
                        Unit.COUNT.plain(live.out()));
    }

    /** One line: what became of the messages, and whether the machine had other things to do. */
    private void verdict() {
        List<String> failures = parts.stream()
                .flatMap(part -> part.run().outcome().failures().stream())
                .toList();
        long messages = parts.stream()
                .mapToLong(part -> part.run().throughput().out().messages())
                .sum();
        String faults = faults();
        text.append(failures.isEmpty() ? "PASS: " : "FAIL: ");
        text.append(
                first.checks().checked()
                        ? format(
                                "%,d messages arrived, every byte checked, %s",
                                messages,
                                !faults.isEmpty()
                                        ? faults
                                        : failures.isEmpty() ? "all in order, none lost" : "see below")
                        : format("%,d messages arrived, not checked: subscribers only counted", messages));
        long skipped = sum(one -> one.told().missed());
        text.append(skipped == 0 ? "" : format("; %,d more skipped by the relay, and told", skipped));
        parts.stream()
                .flatMap(part -> part.run().outcome().environment().stream())
                .findFirst()
                .ifPresent(line -> text.append("; the machine was busy: ").append(line));
        text.append('\n');
        failures.stream().distinct().forEach(failure -> line("  %s", failure));
    }

    private String faults() {
        return Stream.of(
                        count("lost", one -> Math.max(0, one.lost() - one.told().missed())),
                        count("not delivered in time", SubscriberResult::undelivered),
                        count("duplicated", one -> one.faults().duplicated()),
                        count("out of order", one -> one.faults().reordered()),
                        count("corrupted", one -> one.faults().corrupted()),
                        count("foreign", one -> one.faults().foreign()))
                .filter(one -> !one.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private String count(String what, ToLongFunction<SubscriberResult> count) {
        long sum = sum(count);
        return sum == 0 ? "" : format("%,d %s", sum, what);
    }

    private long sum(ToLongFunction<SubscriberResult> count) {
        return parts.stream().mapToLong(part -> part.checks().sum(count)).sum();
    }

    private void header(String contestant, String transport) {
        Load load = first.load();
        line(
                "%s: %s -> %s, %s, %s, %s, lane %s%s, %.1f s after a warm-up of %.1f s",
                contestant,
                ShortText.counted(load.publishers(), "publisher"),
                ShortText.counted(load.subscribers(), "subscriber"),
                load.body().describe(),
                load.pace(),
                transport,
                lane.label(),
                lane.link() == null ? "" : " (" + lane.link().speed() + ")",
                first.run().moment().measuredNanos() / 1e9,
                first.run().moment().warmupNanos() / 1e9);
        line("");
    }

    private void speed() {
        item("full speed", "%s delivered", rate(first.run().throughput().out()));
        Traffic in = first.run().throughput().in();
        if (in != null && first.load().subscribers() > 1) {
            item("", "%s sent", rate(in));
        }
        ceiling();
        Histogram queue = first.run().delays().timeInQueue();
        if (queue != null) {
            item(
                    "",
                    "longest gap between two deliveries %s; time in queue %s (median; at full speed it is no latency)",
                    longest(first.run().still().deliveries()),
                    nanos(Delays.at(queue, 50)));
        }
    }

    private void ceiling() {
        Ceilings ceilings = first.cell().ceilings();
        if (ceilings == null) {
            return;
        }
        Share share = first.cell().shares().get(0);
        String most =
                rate(ceilings.batched().messagesPerSecond(), ceilings.batched().bytesPerSecond());
        if (ceilings.isLink()) {
            String in = share(share.in(), "from the publishers");
            String out = share(share.out(), "to the subscribers");
            item("of the link", "%s", in + (in.isEmpty() || out.isEmpty() ? "" : ", ") + out);
            item("", "which carries %s in each direction at most", most);
        } else {
            item("ceiling", "%s through the plain relay, of which this is %.2f", most, share.out());
        }
    }

    private static String share(double fraction, String direction) {
        return Double.isNaN(fraction) ? "" : format("%.3f %s", fraction, direction);
    }

    private void slow() {
        for (SubscriberResult one : first.checks().slow()) {
            item(
                    "",
                    "a slow subscriber got %s, missed %,d, told in %s%s",
                    ShortText.counted(one.messages(), "message"),
                    one.told().missed(),
                    ShortText.counted(one.told().gaps(), "gap"),
                    one.closed() == null ? "" : "; cut off: " + one.closed());
        }
    }

    private void acknowledged(Part part) {
        if (part.checks().acknowledged() > 0) {
            item(
                    "acknowledged",
                    "%s of the whole run",
                    ShortText.counted(part.checks().acknowledged(), "message"));
        }
        Histogram after = part.run().delays().acknowledged();
        if (after != null && after.getTotalCount() > 0) {
            item(
                    "",
                    "%s(%s, from %s)",
                    percentiles(after),
                    part.load().clients().acks(),
                    part.isPaced() ? "the time at which it was to be sent" : "the publisher's hands at full speed");
        }
    }

    private void latency() {
        List<Part> paced = parts.stream().filter(Part::isPaced).toList();
        if (paced.isEmpty() || !first.checks().checked()) {
            item("latency", "not measured: %s", paced.isEmpty() ? "give --rate for it" : "subscribers only counted");
            return;
        }
        item("latency", "from the time at which each message was due");
        item("", "%-13s %6s  %9s %9s %9s  %s", "rate", "", "p50", "p99", "p99.9", "over 1 ms late");
        paced.forEach(part -> item("", "%s", row(part)));
        if (paced.stream().anyMatch(part -> OF_CURVE.stream().anyMatch(part::isOwnLateness))) {
            item("", "* includes the load generator's own lateness");
        }
    }

    private String row(Part part) {
        double wanted = part.load().wanted() * part.load().subscribers();
        Rates rates = part.signals().rates();
        // A rate that was not reached would stand there as if it had been.
        String missed = rates.kept()
                ? ""
                : format(
                        "; %s left, %s reached each subscriber",
                        Unit.COUNT.plain(rates.in()), Unit.COUNT.plain(rates.out()));
        return format(
                "%-13s %6s  %s  %.2f %%%s%s",
                part.pace(),
                first.isPaced()
                        ? ""
                        : format("%.0f %%", 100 * wanted / first.run().out()),
                OF_CURVE.stream()
                        .map(one -> format("%9s", part.percentile(one)))
                        .collect(Collectors.joining(" ")),
                100 * part.late(),
                part.signals().lateBehindRelay() ? ", behind the relay" : "",
                missed);
    }

    private void machine(Results results) {
        results.sites().forEach(site -> item("machine", "%s", site.machine()));
        MachineShare machine = first.signals().sampled().machine();
        if (machine != null) {
            item(
                    "",
                    "%.0f %% of all cores idle, %.0f %% with other programs, %.1f %% taken by the host",
                    100 * machine.idle(),
                    100 * machine.others(),
                    100 * machine.steal());
        }
        Quota quota = first.signals().sampled().quota();
        if (quota != null) {
            item("", "CPU quota of %s: %s", quota.group(), quota.text());
        }
        List<String> stood = parts.stream()
                .flatMap(part -> part.run().outcome().observed().stream()
                        .filter(one -> one.kind() == Kind.STOOD_STILL)
                        .map(one -> part.pace() + ": " + one.text()))
                .toList();
        if (!stood.isEmpty()) {
            String more = stood.size() == 1 ? "" : format("; and at %d more rates", stood.size() - 1);
            item("observed", "%s", stood.get(0) + more);
        }
    }

    private void item(String name, String pattern, Object... values) {
        line("  %-11s %s", name, format(pattern, values));
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}
