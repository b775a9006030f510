package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Sampled.MachineShare;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.bound.Signals.Standstills.Still;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.run.Live;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.RelayFigures;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.protocol.text.ShortText;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One run for people: in a few lines what it gave, and on demand what says so. */
public final class RunTable {
    /** More subscribers than this are told as one line, as long as nothing is wrong with any of them. */
    private static final int SUBSCRIBERS_LISTED = 16;

    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9);

    private static final double PERCENT = 100;

    /** What else is to be said: so many lines of each part. */
    private static final int LINES = 2;

    private final Results results;
    private final StringBuilder text = new StringBuilder();

    /**
     * What is told of one part of a run.
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

        /** "latency": what its figures are. */
        String what() {
            if (!isPaced()) {
                return "speed";
            }
            return "latency";
        }
    }

    private RunTable(Results results) {
        this.results = results;
    }

    /**
     * What the run gave, in some 15 lines as long as nothing is wrong; the verdict is the last one.
     *
     * @param results with these runs, and what they were set against
     * @param parts at least one; where the first was at full speed, the others were at a part of that
     * @param transport of its connections: "TCP"
     * @param explain with the evidence: each subscriber and process, and what the run was bound by
     */
    public static String of(Results results, List<Part> parts, String contestant, String transport, boolean explain) {
        RunTable table = new RunTable(results);
        table.header(parts.get(0), contestant, transport);
        table.line("");
        if (!parts.get(0).isPaced()) {
            table.speed(parts.get(0));
        }
        table.checks(parts);
        table.clients(parts);
        table.latency(parts);
        table.bound(parts);
        table.machine(parts);
        table.ratios();
        if (explain) {
            parts.forEach(table::explain);
            table.others(parts);
        }
        table.verdict(parts);
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
        return format(
                "PARTIAL: interrupted after %.0f of %.0f s (%s); unchecked, last second: in %s msg/s, out %s msg/s",
                live.elapsedNanos() / 1e9,
                live.totalNanos() / 1e9,
                live.phase(),
                Unit.COUNT.plain(live.in()),
                Unit.COUNT.plain(live.out()));
    }

    private void header(Part part, String contestant, String transport) {
        Load load = part.load();
        RunRecord run = part.run();
        line(
                "%s: %d publisher%s -> %d subscriber%s, %s, %s, %s, %.1f s after a warm-up of %.1f s",
                contestant,
                load.publishers(),
                load.publishers() == 1 ? "" : "s",
                load.subscribers(),
                load.subscribers() == 1 ? "" : "s",
                load.body().describe(),
                pace(load),
                transport,
                run.moment().measuredNanos() / 1e9,
                run.moment().warmupNanos() / 1e9);
    }

    private static String pace(Load load) {
        String pace = load.rate() == 0 ? "full speed" : load.rate() + " msg/s each";
        return pace
                + (load.content().types() == 1 ? "" : ", " + load.content().types() + " types")
                + load.clients().text();
    }

    private void speed(Part part) {
        Traffic out = part.run().throughput().out();
        item("speed", "%s delivered", rate(out.messagesPerSecond(), out.bytesPerSecond()));
        Delays delays = part.delays();
        if (delays.has(Delay.TIME_IN_QUEUE)) {
            item(
                    "",
                    "time in queue: %s (median), at most %s; publishers send all they can, so it is no latency",
                    nanos(delays.at(Delay.TIME_IN_QUEUE, 50)),
                    nanos(delays.at(Delay.TIME_IN_QUEUE, 100)));
        }
        item("", "longest gap between two deliveries: %s", longest(part.still().deliveries()));
    }

    private void checks(List<Part> parts) {
        long messages = parts.stream()
                .mapToLong(part -> part.run().throughput().out().messages())
                .sum();
        if (!parts.get(0).checks().checked()) {
            item("messages", "%,d came; not checked: subscribers only counted", messages);
            return;
        }
        String faults = Stream.of(
                        count(parts, "lost", SubscriberResult::lost),
                        count(parts, "not delivered in time", SubscriberResult::undelivered),
                        count(parts, "duplicated", SubscriberResult::duplicated),
                        count(parts, "out of order", SubscriberResult::reordered),
                        count(parts, "corrupted", SubscriberResult::corrupted),
                        count(parts, "foreign", SubscriberResult::foreign))
                .filter(one -> !one.isEmpty())
                .collect(Collectors.joining(", "));
        double cost = parts.get(0).checks().checkNanos();
        item(
                "messages",
                "%,d came, every byte was checked: %s%s",
                messages,
                faults.isEmpty() ? "none lost, duplicated, out of order, corrupted or foreign" : faults,
                Double.isNaN(cost) ? "" : "; a check takes " + nanos(cost));
        for (Part part : parts) {
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
    }

    /** What the publishers were told, and those that came and went beside them. */
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

    private static String count(List<Part> parts, String what, ToLongFunction<SubscriberResult> count) {
        long sum = parts.stream().mapToLong(part -> part.checks().sum(count)).sum();
        return sum == 0 ? "" : format("%,d %s", sum, what);
    }

    private void latency(List<Part> parts) {
        List<Part> paced = parts.stream().filter(Part::isPaced).toList();
        if (paced.isEmpty() || !parts.get(0).checks().checked()) {
            item("latency", "not measured: %s", paced.isEmpty() ? "give --rate for it" : "subscribers only counted");
            return;
        }
        Load load = paced.get(0).load();
        double wanted = (double) load.rate() * load.publishers();
        String share = paced.size() == parts.size()
                ? ""
                : format(
                        " (%.0f %% of that speed)",
                        PERCENT
                                * wanted
                                * load.subscribers()
                                / parts.get(0).run().throughput().out().messagesPerSecond());
        item(
                "latency",
                "at %s msg/s%s, from the time at which each message was to be sent",
                Unit.COUNT.plain(wanted),
                share + missed(paced.get(0).signals()));
        for (Part part : paced) {
            if (part.delays().has(Delay.LATENCY)) {
                item(
                        "",
                        "%s(%,d messages timed)",
                        percentiles(part.delays(), Delay.LATENCY),
                        part.delays().latency().getTotalCount());
            }
        }
    }

    /** What there was of a rate that was not reached: else it stands there as if it had been. */
    private static String missed(Signals signals) {
        return signals == null || signals.rates().kept()
                ? ""
                : format(
                        ", of which %s left and %s reached each subscriber",
                        Unit.COUNT.plain(signals.rates().in()),
                        Unit.COUNT.plain(signals.rates().out()));
    }

    private static String percentiles(Delays delays, Delay which) {
        return PERCENTILES.stream()
                .map(one -> Figures.name(one) + " " + nanos(delays.at(which, one)) + "   ")
                .collect(Collectors.joining());
    }

    /** The first part's, and that of a rate that was held up. */
    private void bound(List<Part> parts) {
        for (Part part : parts) {
            BoundBy bound = part.run().resources().boundBy();
            boolean first = part == parts.get(0);
            if (bound != null && (first || bound.kind() != BoundBy.Kind.NOTHING)) {
                item(
                        first ? "bound by" : "",
                        "%s%s: %s",
                        first ? "" : "at that rate: ",
                        bound.text(),
                        bound.reasons().get(0));
            }
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
    }

    /** What this run is of its ceilings. */
    private void ratios() {
        for (Ratio one : results.ratios()) {
            item("ceiling", "this run: %.2f of %s", one.ratio(), one.a());
        }
    }

    private void verdict(List<Part> parts) {
        List<String> failures = results.runs().stream()
                .flatMap(one -> one.outcome().failures().stream())
                .toList();
        line("");
        String checked = parts.get(0).checks().checked() ? "" : " not checked";
        text.append(failures.isEmpty() ? "PASS (messages" + checked + ")" : "FAIL (messages)");
        String separator = "; ";
        for (Part part : parts) {
            Outcome outcome = part.run().outcome();
            List<String> lines = Stream.concat(
                            outcome.environment().stream().map(line -> "the machine was busy: " + line),
                            outcome.observed().stream().map(Observed::text))
                    .toList();
            if (!lines.isEmpty()) {
                text.append(separator).append(part.what()).append(": ");
                text.append(lines.stream().limit(LINES).collect(Collectors.joining(";\n      ")));
                text.append(lines.size() > LINES ? "; " + (lines.size() - LINES) + " more with --explain" : "");
                separator = ";\n  ";
            }
        }
        text.append('\n');
        failures.forEach(failure -> line("  %s", failure));
    }

    private void explain(Part part) {
        RunRecord run = part.run();
        line("");
        line("%s:", part.isPaced() ? "at " + pace(part.load()) : "at full speed");
        traffic("in", run.throughput().in());
        traffic("out", run.throughput().out());
        subscribers(run);
        schedule(run);
        delays(run.delays());
        still(part.still());
        text.append(TextTable.of(Tables.processes(List.of(run))));
        relay(run);
        reasons(run);
        run.outcome().observed().forEach(one -> line("%s", one.text()));
        run.outcome().environment().forEach(line -> line("the machine was busy: %s", line));
    }

    /** What these runs were set against. */
    private void others(List<Part> parts) {
        List<RunRecord> told = parts.stream().map(Part::run).toList();
        for (var lane : results.lanes()) {
            for (Cell cell : lane.cells()) {
                RunRecord run = cell.runs().get(0);
                if (!told.contains(run)) {
                    line("%s: %s", cell.contestant(), rate(Figures.out(run), Figures.bytesOut(run)));
                }
            }
        }
    }

    private void traffic(String name, Traffic traffic) {
        if (traffic != null) {
            String rate = rate(traffic.messagesPerSecond(), traffic.bytesPerSecond());
            line("%-4s %s, %,d messages", name, rate, traffic.messages());
        }
    }

    private void still(Standstills still) {
        line(
                "longest gap between two deliveries to a subscriber %s; %,d of 100 ms or longer, %s in all",
                longest(still.deliveries()),
                still.deliveries().count(),
                nanos(still.deliveries().totalNanos()));
        line(
                "stood still at most: publishers %s, subscribers %s, a process that only sleeps %s",
                longest(still.publishers()), longest(still.subscribers()), longest(still.machine()));
    }

    /** Programs in C do not tell. */
    private static String longest(Still still) {
        return still.longestNanos() == 0 ? "unknown" : nanos(still.longestNanos());
    }

    private void subscribers(RunRecord run) {
        Correctness all = run.correctness();
        if (!all.checked()) {
            return;
        }
        boolean list = all.subscribers().size() <= SUBSCRIBERS_LISTED;
        List<SubscriberResult> listed = all.subscribers().stream()
                .filter(one -> list || !Tables.isClean(one))
                .toList();
        text.append(TextTable.of(Table.of(
                "",
                listed,
                List.of(
                        Field.of("subscriber", Unit.WHOLE, SubscriberResult::index),
                        Field.of("messages", Unit.WHOLE, SubscriberResult::messages),
                        Field.of("lost", Unit.WHOLE, SubscriberResult::lost),
                        Field.of("not delivered", Unit.WHOLE, SubscriberResult::undelivered),
                        Field.of("duplicated", Unit.WHOLE, SubscriberResult::duplicated),
                        Field.of("reordered", Unit.WHOLE, SubscriberResult::reordered),
                        Field.of("corrupted", Unit.WHOLE, SubscriberResult::corrupted),
                        Field.text("connection", Tables::connection)))));
    }

    private void schedule(RunRecord run) {
        Punctuality kept = run.correctness().schedule();
        if (kept.scheduled() > 0) {
            line(
                    "on time: %.3f %% left within 1 ms of their time (%,d late); after it left  p50 %s  p99 %s  max %s",
                    100 * (1 - kept.lateShare()),
                    kept.late(),
                    nanos(kept.lateness().getValueAtPercentile(50)),
                    nanos(kept.lateness().getValueAtPercentile(99)),
                    nanos(kept.lateness().getMaxValue()));
        }
    }

    private void delays(Delays delays) {
        boolean paced = delays.has(Delay.LATENCY);
        Delay which = paced ? Delay.LATENCY : Delay.TIME_IN_QUEUE;
        if (delays.has(which)) {
            line(
                    "%s  %smax %s  (%s, %s)",
                    paced ? "latency" : "time in queue",
                    percentiles(delays, which),
                    nanos(delays.at(which, 100)),
                    sampled(delays.oneMessageIn()),
                    paced ? "from the intended time of sending" : "from the write to the read");
        }
    }

    private static String sampled(long sampling) {
        return sampling == 1 ? "every message" : "one message in " + sampling;
    }

    private void relay(RunRecord run) {
        RelayFigures relay = run.resources().relay();
        if (relay != null) {
            line(
                    "relay: %d garbage collections (%d ms) within the window, largest lag %s, connections ended %s",
                    relay.gcCount(), relay.gcMillis(), Unit.BYTES.plain(relay.largestLagBytes()), relay.closes());
        }
    }

    private void reasons(RunRecord run) {
        BoundBy bound = run.resources().boundBy();
        if (bound == null) {
            return;
        }
        line("bound by %s:", bound.text());
        bound.reasons().forEach(reason -> line("  %s", reason));
        if (!bound.unseen().isEmpty() && bound.kind() != BoundBy.Kind.NOTHING) {
            line("  not seen: %s", String.join(", ", bound.unseen()));
        }
    }

    /** "13 M msg/s, 1.41 GB/s". */
    private static String rate(double messages, double bytes) {
        return Unit.COUNT.plain(messages) + " msg/s, " + Unit.BYTES_PER_SECOND.plain(bytes);
    }

    private static String nanos(double nanos) {
        return Unit.NANOS.plain(nanos);
    }

    private void item(String name, String pattern, Object... values) {
        line("  %-11s %s", name, format(pattern, values));
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}
