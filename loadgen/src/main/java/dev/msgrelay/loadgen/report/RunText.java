package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;
import static dev.msgrelay.loadgen.report.RunEvidence.longest;
import static dev.msgrelay.loadgen.report.RunEvidence.nanos;
import static dev.msgrelay.loadgen.report.RunEvidence.percentiles;
import static dev.msgrelay.loadgen.report.RunEvidence.rate;
import static dev.msgrelay.loadgen.result.LatencyRatio.PERCENTILES;

import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.plan.Histograms;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.render.Wrapped;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LatencyRatio;
import dev.msgrelay.loadgen.result.LatencyRatio.LeftOut;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Observed.Kind;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import dev.msgrelay.loadgen.rig.Live;
import dev.msgrelay.protocol.text.ShortText;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Formats the results of a {@code loadgen run}: a few lines, and on demand the evidence. */
public final class RunText {
    public static final String PARTIAL_WITHOUT_A_MESSAGE = "PARTIAL: interrupted before the first message";

    private final LaneResult lane;
    private final List<RunPart> parts;
    private final RunPart first;
    private final StringBuilder text = new StringBuilder();

    private RunText(Results results) {
        this.lane = results.lanes().get(0);
        this.parts = RunPart.of(results);
        this.first = parts.get(0);
    }

    /**
     * Formats a run in lines of at most 80 columns: about 20 lines if nothing is wrong.
     *
     * @param results results of one lane, with one run for each rate, sorted by rate; full speed comes first. Their
     *     notes are printed as the summary at the top.
     */
    public static String of(Results results, String contestant, String transport, boolean explain) {
        RunText told = new RunText(results);
        results.notes().forEach(note -> told.text.append(Wrapped.at("  ", note)));
        told.header(contestant, transport);
        if (!told.first.isPaced()) {
            told.speed();
        }
        told.slow();
        told.parts.forEach(told::acknowledged);
        told.latency();
        BoundBy bound = told.first.run().resources().boundBy();
        told.item("bound by", "%s: %s", bound.kind(), bound.reasons().get(0));
        told.senders();
        told.machine(results);
        if (explain) {
            // A plain relay's run that broke off has no evidence. Its row has the reason.
            told.parts.stream()
                    .flatMap(RunPart::withPlain)
                    .filter(part -> !part.run().outcome().partial())
                    .forEach(told::evidence);
        }
        return told.text.toString();
    }

    private void evidence(RunPart part) {
        String by = part.cell().isPlainRelay() ? ", by the plain relay" : "";
        text.append('\n').append(RunEvidence.of(part.pace() + by, part.run()));
    }

    public static String partial(Live live) {
        return format(
                "PARTIAL: interrupted after %.0f of %.0f s (%s); unchecked, last second: in %s msg/s, out %s msg/s",
                live.elapsedNanos() / 1e9,
                live.totalNanos() / 1e9,
                live.phase(),
                Unit.COUNT.ascii(live.in()),
                Unit.COUNT.ascii(live.out()));
    }

    private void header(String contestant, String transport) {
        Load load = first.load();
        line("");
        line(
                "%s: %s -> %s, %s, %s, %s, lane %s%s, %.1f s after a warm-up of %.1f s",
                contestant,
                ShortText.counted(load.publishers(), "publisher"),
                ShortText.counted(load.subscribers(), "subscriber"),
                load.body().describe(),
                load.isPaced() ? RunPart.perSecond(load.rate()) + " each" : "full speed",
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
        String most =
                rate(ceilings.batched().messagesPerSecond(), ceilings.batched().bytesPerSecond());
        Optional<String> unlike = first.cell().unlike();
        if (unlike.isPresent()) {
            item("ceiling", "%s by the plain relay; %s", most, unlike.get());
            return;
        }
        Share share = first.cell().shares().get(0);
        if (ceilings.isLink()) {
            String in = share(share.in(), "from the publishers");
            String out = share(share.out(), "to the subscribers");
            item("of the link", "%s", in + (in.isEmpty() || out.isEmpty() ? "" : ", ") + out);
            item("", "which carries %s in each direction at most", most);
        } else {
            item("ceiling", "%s by the plain relay; this is %.2f of it", most, share.out());
        }
    }

    /** Appends the congestion control of the connections, unless the line about the ceiling already contains it. */
    private void senders() {
        Senders senders = first.run().resources().senders();
        String text = senders == null ? "" : senders.text(first.cell().contestant());
        if (!text.isEmpty() && first.cell().unlike().isEmpty()) {
            item("TCP", "congestion control: %s%s", text, sendersOfPlain(senders));
        }
    }

    private String sendersOfPlain(Senders senders) {
        Stream<Senders> atFullSpeed = Stream.ofNullable(first.cell().ceilings()).map(Ceilings::senders);
        Stream<Senders> atRates = parts.stream()
                .flatMap(part -> part.plain().stream())
                .map(plain -> plain.run().resources().senders());
        return Stream.concat(atFullSpeed, atRates)
                .filter(Objects::nonNull)
                .findFirst()
                .map(plain -> senders.isLike(plain)
                        ? "; the plain relay's alike"
                        : "; beside the plain relay " + plain.text(Cell.PLAIN))
                .orElse("");
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

    private void acknowledged(RunPart part) {
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
        List<RunPart> paced = parts.stream().filter(RunPart::isPaced).toList();
        if (paced.isEmpty() || !first.checks().checked()) {
            item("latency", "not measured: %s", paced.isEmpty() ? "give --rate for it" : "subscribers only counted");
            return;
        }
        boolean plain = paced.stream().anyMatch(part -> part.plain().isPresent());
        String elsewhere = "; none of a plain relay, as the relay is elsewhere";
        item(
                "latency",
                "from the time at which each message was due%s",
                plain ? "; and the plain relay's" : lane.kind() == LaneKind.REMOTE ? elsewhere : "");
        row("rate", "", PERCENTILES.stream().map(Histograms::name).toList(), "over 1 ms late");
        paced.forEach(this::rows);
        if (paced.stream().flatMap(RunPart::withPlain).anyMatch(part -> PERCENTILES.stream()
                .anyMatch(part::isOwnLateness))) {
            line("    * includes the load generator's own lateness");
        }
        leftOut();
    }

    /** Appends a row for the relay; below it, if it was measured, one for the plain relay with the ratios to it. */
    private void rows(RunPart part) {
        double wanted = part.load().wanted() * part.load().subscribers();
        String late = format("%.2f %%", 100 * part.late());
        row(
                part.pace(),
                first.isPaced()
                        ? ""
                        : format("%.0f %%", 100 * wanted / first.run().out()),
                PERCENTILES.stream().map(part::percentile).toList(),
                late + (part.signals().isLateByRelay() ? ", behind the relay" : ""));
        // Without this line, the row would look as if the rate had been reached.
        Rates rates = part.signals().rates();
        if (!rates.kept()) {
            line(
                    "      of them %s left, %s reached each subscriber",
                    RunPart.perSecond(rates.in()), RunPart.perSecond(rates.out()));
        }
        part.plain()
                .ifPresent(plain -> row(
                        "  plain relay",
                        "",
                        PERCENTILES.stream().map(plain::percentile).toList(),
                        plain.run().outcome().failures().stream()
                                .findFirst()
                                .map(failure -> "FAIL: " + failure)
                                .orElse(ratios(part))));
    }

    /** Returns the ratios of the percentiles to those of the plain relay; empty if there is none. */
    private String ratios(RunPart part) {
        List<LatencyRatio> ratios = lane.latencyRatios().stream()
                .filter(ratio -> ratio.messagesPerSecond() == part.load().wanted())
                .toList();
        return ratios.stream().allMatch(ratio -> Double.isNaN(ratio.ratio()))
                ? ""
                : ratios.stream()
                        .map(ratio -> Unit.HUNDREDTHS.ascii(ratio.ratio()))
                        .collect(Collectors.joining(", ", "ratio ", ""));
    }

    /** Appends why ratios are missing, and at how many of the rates. */
    private void leftOut() {
        List<LatencyRatio> ratios = lane.latencyRatios();
        int rates = ratios.size() / PERCENTILES.size();
        String reasons = Stream.of(LeftOut.values())
                .map(reason -> leftOut(reason, ratios))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        if (!reasons.isEmpty()) {
            line("    no ratio, of %s: %s", ShortText.counted(rates, "rate"), reasons);
        }
    }

    /** Returns "a busy machine at 2", or "a busy machine in p99 at 1, in p99.9 at 2" if percentiles differ. */
    private static String leftOut(LeftOut reason, List<LatencyRatio> ratios) {
        Map<Double, Long> counts = ratios.stream()
                .filter(ratio -> ratio.leftOut().contains(reason))
                .collect(Collectors.groupingBy(LatencyRatio::percentile, TreeMap::new, Collectors.counting()));
        if (counts.isEmpty()) {
            return "";
        }
        boolean alike = counts.keySet().containsAll(PERCENTILES)
                && counts.values().stream().distinct().count() == 1;
        return alike
                ? reason.text() + " at " + counts.get(PERCENTILES.get(0))
                : reason.text()
                        + counts.entrySet().stream()
                                .map(one -> " in " + Histograms.name(one.getKey()) + " at " + one.getValue())
                                .collect(Collectors.joining(","));
    }

    private void row(String rate, String part, List<String> percentiles, String late) {
        String columns = percentiles.stream().map(one -> format("%9s", one)).collect(Collectors.joining(" "));
        line("    %-13s %5s %s  %s", rate, part, columns, late);
    }

    private void machine(Results results) {
        processor();
        results.sites().forEach(site -> item("machine", "%s", site.machine()));
        MachineShare machine = first.signals().sampled().machine();
        if (machine.isSeen()) {
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

    private void processor() {
        List<String> used = Stream.of(first.cell().contestant(), "publisher", "subscriber")
                .filter(who -> !Double.isNaN(first.run().cores(who)))
                .map(who -> {
                    double kernel = first.run().kernelCores(who);
                    return format("%s %.2f", who, first.run().cores(who))
                            + (Double.isNaN(kernel) ? "" : format(" (kernel %.2f)", kernel));
                })
                .toList();
        MachineShare machine = first.signals().sampled().machine();
        String interrupts =
                !machine.isSeen() ? "" : format("; network interrupts %.2f", machine.softirq() * machine.cores());
        if (!used.isEmpty()) {
            item("cores", "%s%s", String.join(", ", used), interrupts);
        }
    }

    private void item(String name, String pattern, Object... values) {
        text.append(Wrapped.at(" ".repeat(14), format("  %-11s %s", name, format(pattern, values))));
    }

    private void line(String pattern, Object... values) {
        text.append(Wrapped.at("  ", format(pattern, values).stripTrailing()));
    }
}
