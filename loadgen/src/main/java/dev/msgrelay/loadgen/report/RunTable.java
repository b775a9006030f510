package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Sampled.MachineShare;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.bound.Signals.Standstills.Still;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.run.Live;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.RunResult.Throughput;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.protocol.text.ShortText;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One run for people: in a few lines what it gave, and on demand what says so. */
public final class RunTable {
    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9);
    private static final List<Double> OF_CURVE = List.of(50.0, 99.0, 99.9);

    private static final double PERCENT = 100;

    private final Results results;
    private final StringBuilder text = new StringBuilder();

    /**
     * One part of a run: full speed, or a rate.
     *
     * @param load that was given
     */
    public record Part(RunRecord run, Load load) {
        boolean isPaced() {
            return load.rate() > 0;
        }

        Signals signals() {
            return run.resources().signals();
        }

        Standstills still() {
            return signals() == null ? Standstills.NONE : signals().still();
        }

        Delays delays() {
            return run.delays();
        }

        Correctness checks() {
            return run.correctness();
        }

        /** Messages a second of all publishers together, as they were wanted. */
        double wanted() {
            return (double) load.rate() * load.publishers();
        }

        double late() {
            return checks().schedule().lateShare();
        }

        /** Whether all messages of a rate left and came, and at most 0.1 % of them left late. */
        boolean isKept() {
            return isPaced()
                    && run.outcome().passed()
                    && signals() != null
                    && signals().rates().kept()
                    && late() <= Rates.MAX_LATE_SHARE;
        }

        /** Whether the generator's own lateness is in this percentile: the relay's is its own latency. */
        boolean isOwnLateness(double percentile) {
            return late() * PERCENT > PERCENT - percentile
                    && (signals() == null || !signals().lateBehindRelay());
        }

        String percentile(double percentile) {
            double nanos = delays().at(Delay.LATENCY, percentile);
            return nanos(nanos) + (isOwnLateness(percentile) && !Double.isNaN(nanos) ? " *" : "");
        }
    }

    private RunTable(Results results) {
        this.results = results;
    }

    /**
     * The result of a run, in some 15 lines as long as nothing is wrong; the verdict is the first one.
     *
     * @param results with these runs, what they were set against, and the headline as their first note
     * @param parts at least one, by their rates; the first at full speed, where there is one
     * @param transport of its connections: "TCP"
     * @param explain with the evidence: each subscriber and process, and what the run was bound by
     */
    public static String of(Results results, List<Part> parts, String contestant, String transport, boolean explain) {
        RunTable table = new RunTable(results);
        table.verdict(parts);
        table.header(parts.get(0), contestant, transport);
        table.line("");
        table.text.append(
                results.notes().stream().map(note -> "  " + note + "\n").collect(Collectors.joining()));
        if (!parts.get(0).isPaced()) {
            table.speed(parts.get(0));
        }
        table.slow(parts.get(0));
        table.clients(parts);
        table.latency(parts);
        table.bound(parts);
        table.machine(parts);
        if (explain) {
            parts.forEach(part -> table.text.append(RunEvidence.of(part)));
        }
        return table.text.toString();
    }

    /**
     * The highest rate that was kept, and its p99; nothing where no latency was measured.
     *
     * @param p99Nanos that it has to keep to; null: whatever it is
     */
    public static List<String> headline(List<Part> parts, Long p99Nanos) {
        List<Part> timed = parts.stream()
                .filter(part -> part.isPaced() && part.delays().has(Delay.LATENCY))
                .toList();
        if (timed.isEmpty()) {
            return List.of();
        }
        String limit = p99Nanos == null ? "" : " with p99 within " + nanos(p99Nanos);
        return List.of(timed.stream()
                .filter(Part::isKept)
                .filter(part -> p99Nanos == null || part.delays().at(Delay.LATENCY, 99) <= p99Nanos)
                .max(Comparator.comparingDouble(Part::wanted))
                .map(part -> format(
                        "highest rate kept%s: %s msg/s, p99 %s",
                        limit,
                        Unit.COUNT.plain(part.wanted()),
                        nanos(part.delays().at(Delay.LATENCY, 99))))
                .orElse("no rate was kept" + limit + ": at most 0.1 % of the messages may leave late"));
    }

    /**
     * The line about a run that was interrupted.
     *
     * @param live the last that was seen of it, or null when nothing flowed yet
     */
    public static String partial(Live live) {
        if (live == null) {
            return "PARTIAL: interrupted before the first message";
        }
        return format(
                "PARTIAL: interrupted after %.0f of %.0f s (%s); unchecked, last second: in %s msg/s, out %s msg/s",
                live.elapsedNanos() / 1e9,
                live.totalNanos() / 1e9,
                live.phase(),
                Unit.COUNT.plain(live.in()),
                Unit.COUNT.plain(live.out()));
    }

    /** One line: what became of the messages, and whether the machine had other things to do. */
    private void verdict(List<Part> parts) {
        List<String> failures = results.runs().stream()
                .flatMap(one -> one.outcome().failures().stream())
                .toList();
        long messages = parts.stream()
                .mapToLong(part -> part.run().throughput().out().messages())
                .sum();
        text.append(failures.isEmpty() ? "PASS: " : "FAIL: ");
        if (parts.get(0).checks().checked()) {
            String faults = faults(parts);
            text.append(format(
                    "%,d messages arrived, every byte checked, %s",
                    messages,
                    !faults.isEmpty() ? faults : failures.isEmpty() ? "all in order, none lost" : "see below"));
        } else {
            text.append(format("%,d messages arrived, not checked: subscribers only counted", messages));
        }
        long skipped = parts.stream()
                .mapToLong(part -> part.checks().sum(one -> one.told().missed()))
                .sum();
        text.append(skipped == 0 ? "" : format("; %,d more skipped by the relay, and told", skipped));
        parts.stream()
                .flatMap(part -> part.run().outcome().environment().stream())
                .findFirst()
                .ifPresent(line -> text.append("; the machine was busy: ").append(line));
        text.append('\n');
        failures.stream().distinct().forEach(failure -> line("  %s", failure));
    }

    private static String faults(List<Part> parts) {
        return Stream.of(
                        count(
                                parts,
                                "lost",
                                one -> Math.max(0, one.lost() - one.told().missed())),
                        count(parts, "not delivered in time", SubscriberResult::undelivered),
                        count(parts, "duplicated", SubscriberResult::duplicated),
                        count(parts, "out of order", SubscriberResult::reordered),
                        count(parts, "corrupted", SubscriberResult::corrupted),
                        count(parts, "foreign", SubscriberResult::foreign))
                .filter(one -> !one.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static String count(List<Part> parts, String what, ToLongFunction<SubscriberResult> count) {
        long sum = parts.stream().mapToLong(part -> part.checks().sum(count)).sum();
        return sum == 0 ? "" : format("%,d %s", sum, what);
    }

    private void header(Part part, String contestant, String transport) {
        Load load = part.load();
        RunRecord run = part.run();
        line(
                "%s: %d %s -> %d %s, %s, %s, %s, %s, %.1f s after a warm-up of %.1f s",
                contestant,
                load.publishers(),
                ShortText.plural(load.publishers(), "publisher"),
                load.subscribers(),
                ShortText.plural(load.subscribers(), "subscriber"),
                load.body().describe(),
                pace(load),
                transport,
                lane(),
                run.moment().measuredNanos() / 1e9,
                run.moment().warmupNanos() / 1e9);
    }

    /** "lane loopback"; "lane relay-host: 1 Gbit/s, MTU 1500, ...". */
    private String lane() {
        LaneResult lane = results.lanes().get(0);
        return "lane " + lane.label()
                + (lane.link() == null ? "" : " (" + lane.link().speed() + ")");
    }

    static String pace(Load load) {
        String pace = load.rate() == 0 ? "full speed" : load.rate() + " msg/s each";
        return pace
                + (load.content().types() == 1 ? "" : ", " + load.content().types() + " types")
                + load.clients().text();
    }

    private void speed(Part part) {
        Throughput passed = part.run().throughput();
        Traffic in = passed.in();
        item("full speed", "%s delivered", rate(passed.out()));
        if (in != null && part.load().subscribers() > 1) {
            item("", "%s sent", rate(in));
        }
        ceiling(passed);
        Delays delays = part.delays();
        if (delays.has(Delay.TIME_IN_QUEUE)) {
            item(
                    "",
                    "longest gap between two deliveries %s; time in queue %s (median; at full speed it is no latency)",
                    longest(part.still().deliveries()),
                    nanos(delays.at(Delay.TIME_IN_QUEUE, 50)));
        }
    }

    /** The ceiling, and the share of that in each direction. */
    private void ceiling(Throughput passed) {
        Cell cell = results.lanes().get(0).cells().get(0);
        if (cell.ceilings() == null) {
            return;
        }
        Ceilings ceilings = cell.ceilings();
        String most =
                rate(ceilings.batched().messagesPerSecond(), ceilings.batched().bytesPerSecond());
        if (ceilings.isLink()) {
            String in = share(passed.ingressFraction(), "from the publishers");
            String out = share(passed.egressFraction(), "to the subscribers");
            item("of the link", "%s", in + (in.isEmpty() || out.isEmpty() ? "" : ", ") + out);
            item("", "which carries %s in each direction at most", most);
        } else {
            item("ceiling", "%s through the plain relay, of which this is %.2f", most, passed.egressFraction());
        }
    }

    private static String share(double fraction, String direction) {
        return Double.isNaN(fraction) ? "" : format("%.3f %s", fraction, direction);
    }

    private void slow(Part part) {
        for (SubscriberResult one : part.checks().slow()) {
            item(
                    "",
                    "a slow subscriber got %,d %s, missed %,d, told in %,d %s%s",
                    one.messages(),
                    ShortText.plural(one.messages(), "message"),
                    one.told().missed(),
                    one.told().gaps(),
                    ShortText.plural(one.told().gaps(), "gap"),
                    one.closed() == null ? "" : "; cut off: " + one.closed());
        }
    }

    /** Acknowledgements that the publishers got. */
    private void clients(List<Part> parts) {
        for (Part part : parts) {
            Correctness run = part.checks();
            if (run.acknowledged() > 0) {
                item(
                        "acknowledged",
                        "%,d %s of the whole run",
                        run.acknowledged(),
                        ShortText.plural(run.acknowledged(), "message"));
            }
            if (part.delays().has(Delay.ACKNOWLEDGED)) {
                item(
                        "",
                        "%s(%s, from %s)",
                        percentiles(part.delays(), Delay.ACKNOWLEDGED),
                        part.load().clients().acks(),
                        part.isPaced() ? "the time at which it was to be sent" : "the publisher's hands at full speed");
            }
        }
    }

    private void latency(List<Part> parts) {
        List<Part> paced = parts.stream().filter(Part::isPaced).toList();
        if (paced.isEmpty() || !parts.get(0).checks().checked()) {
            item("latency", "not measured: %s", paced.isEmpty() ? "give --rate for it" : "subscribers only counted");
            return;
        }
        item("latency", "from the time at which each message was due");
        item("", "%-13s %6s  %9s %9s %9s  %s", "rate", "", "p50", "p99", "p99.9", "over 1 ms late");
        Part full = parts.get(0).isPaced() ? null : parts.get(0);
        paced.forEach(part -> item("", "%s", row(part, full)));
        if (paced.stream().anyMatch(part -> OF_CURVE.stream().anyMatch(part::isOwnLateness))) {
            item("", "* includes the load generator's own lateness");
        }
    }

    /** One rate. */
    private static String row(Part part, Part full) {
        String share = full == null
                ? ""
                : format(
                        "%.0f %%",
                        PERCENT
                                * part.wanted()
                                * part.load().subscribers()
                                / full.run().throughput().out().messagesPerSecond());
        String percentiles = OF_CURVE.stream()
                .map(one -> format("%9s", part.percentile(one)))
                .collect(Collectors.joining(" "));
        boolean behind = part.signals() != null && part.signals().lateBehindRelay();
        return format(
                "%-13s %6s  %s  %.2f %%%s%s",
                Unit.COUNT.plain(part.wanted()) + " msg/s",
                share,
                percentiles,
                PERCENT * part.late(),
                behind ? ", behind the relay" : "",
                missed(part.signals()));
    }

    /** The part of a rate that was reached, where that was not all: else it stands there as if it had been. */
    private static String missed(Signals signals) {
        return signals == null || signals.rates().kept()
                ? ""
                : format(
                        "; %s left, %s reached each subscriber",
                        Unit.COUNT.plain(signals.rates().in()),
                        Unit.COUNT.plain(signals.rates().out()));
    }

    static String percentiles(Delays delays, Delay which) {
        return PERCENTILES.stream()
                .map(one -> Figures.name(one) + " " + nanos(delays.at(which, one)) + "   ")
                .collect(Collectors.joining());
    }

    /** The first part's: those of a curve have no more to say than that they were kept. */
    private void bound(List<Part> parts) {
        BoundBy bound = parts.get(0).run().resources().boundBy();
        if (bound != null) {
            item("bound by", "%s: %s", bound.text(), bound.reasons().get(0));
        }
    }

    private void machine(List<Part> parts) {
        results.sites().forEach(site -> item("machine", "%s", site.machine()));
        Signals seen = parts.get(0).signals();
        MachineShare machine = seen == null ? null : seen.sampled().machine();
        if (machine != null) {
            item(
                    "",
                    "%.0f %% of all cores idle, %.0f %% with other programs, %.1f %% taken by the host",
                    PERCENT * machine.idle(),
                    PERCENT * machine.others(),
                    PERCENT * machine.steal());
        }
        observed(parts);
    }

    /** Stand-stills: the first one in full, the others counted. */
    private void observed(List<Part> parts) {
        List<String> all = parts.stream()
                .flatMap(part -> part.run().outcome().observed().stream()
                        .filter(one -> one.kind() == Observed.Kind.STOOD_STILL)
                        .map(one -> (part.isPaced() ? Unit.COUNT.plain(part.wanted()) + " msg/s" : "full speed") + ": "
                                + one.text()))
                .toList();
        if (!all.isEmpty()) {
            String more = all.size() == 1 ? "" : format("; and at %d more rates", all.size() - 1);
            item("observed", "%s", all.get(0) + more);
        }
    }

    /** Unknown where nobody tells. */
    static String longest(Still still) {
        return still.longestNanos() == 0 ? "unknown" : nanos(still.longestNanos());
    }

    static String rate(Traffic traffic) {
        return rate(traffic.messagesPerSecond(), traffic.bytesPerSecond());
    }

    /** "13 M msg/s, 1.41 GB/s". */
    static String rate(double messages, double bytes) {
        return Unit.COUNT.plain(messages) + " msg/s, " + Unit.BYTES_PER_SECOND.plain(bytes);
    }

    static String nanos(double nanos) {
        return Unit.NANOS.plain(nanos);
    }

    private void item(String name, String pattern, Object... values) {
        line("  %-11s %s", name, format(pattern, values));
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}
