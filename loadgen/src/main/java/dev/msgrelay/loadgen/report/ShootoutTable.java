package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.shootout.CellFigures;
import dev.msgrelay.loadgen.shootout.LaneRatio;
import dev.msgrelay.loadgen.shootout.RegimeChoice;
import dev.msgrelay.loadgen.shootout.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A shootout for people: a table per lane, against its ceiling, and the lanes against each other. */
public final class ShootoutTable {
    private static final double MEGA = 1e6;
    private static final double PERCENT = 100;
    private static final int FAILURES_LISTED = 3;
    private static final String NONE = "-";

    private final RegimeChoice choice;
    private final StringBuilder text = new StringBuilder();

    private ShootoutTable(RegimeChoice choice) {
        this.choice = choice;
    }

    /** All of it. */
    public static String of(Shootout shootout) {
        ShootoutTable table = new ShootoutTable(choice(shootout));
        shootout.lanes().stream()
                .map(lane -> searched(lane, shootout.maxRates()))
                .forEach(table::lane);
        if (shootout.maxRates().isEmpty()) {
            table.comparison(shootout.lanes());
        } else {
            table.maxRates(shootout.maxRates());
        }
        table.machine(shootout);
        return table.text.toString();
    }

    /** Which runs count. */
    public static RegimeChoice choice(Shootout shootout) {
        return RegimeChoice.of(shootout.lanes().stream()
                .flatMap(lane -> lane.cells().stream())
                .flatMap(cell -> cell.runs().stream())
                .toList());
    }

    /** Of a lane on which rates were searched, the cells at what was found: the others are the way there. */
    private static LaneResult searched(LaneResult lane, List<MaxRate> found) {
        List<Parameters> wanted = found.stream()
                .filter(one -> one.lane().equals(lane.name()))
                .map(MaxRate::parameters)
                .toList();
        return wanted.isEmpty()
                ? lane
                : new LaneResult(
                        lane.name(),
                        lane.kind(),
                        lane.emulated(),
                        lane.skipped(),
                        lane.link(),
                        lane.places(),
                        lane.cells().stream()
                                .filter(cell -> wanted.contains(cell.parameters()))
                                .toList());
    }

    private void maxRates(List<MaxRate> found) {
        for (MaxRate one : found) {
            line("highest rate with p99 within %s, %s", Units.nanos(one.p99LimitNanos()), one);
            one.attempts().forEach(attempt -> line("    %s", attempt));
            one.notes().forEach(note -> line("  %s", note));
        }
        line("");
    }

    private void lane(LaneResult lane) {
        String link = lane.link() == null
                ? "a link whose speed nobody tells"
                : lane.link().toString();
        boolean across = lane.link() != null || lane.places().isApart();
        line("%s%s", lane.label(), across ? ": " + link + "; " + places(lane.places()) : "");
        if (lane.skipped() != null) {
            line("  skipped: %s", lane.skipped());
        } else if (lane.cells().isEmpty()) {
            line("  no figures");
        } else {
            line(
                    "  %-40s %27s  %41s  %8s %8s %8s  %11s  %s",
                    "",
                    "in: msg/s     MB/s  of ceil.",
                    "out: msg/s    MB/s (min .. max)  of ceil.",
                    "p50",
                    "p99",
                    "skew p99",
                    "cores",
                    "bound by");
            lane.cells().forEach(this::cell);
        }
        line("");
    }

    private static String places(Places places) {
        boolean publishers = places.publishers() == Places.Place.FAR;
        boolean subscribers = places.subscribers() == Places.Place.FAR;
        if (publishers && subscribers) {
            return "publishers and subscribers across the link";
        }
        if (publishers) {
            return "publishers across the link, subscribers at the relay's side";
        }
        String near =
                switch (places.publishers()) {
                    case WITHIN -> "within the relay's process";
                    case NEAR_UNIX -> "at the relay's side, over its Unix socket";
                    default -> "at the relay's side";
                };
        return "publishers " + near + ", subscribers across the link";
    }

    private void cell(Cell cell) {
        CellFigures figures = CellFigures.of(cell, choice);
        if (figures.runs().isEmpty()) {
            line("  %-40s no valid run", cell.parameters());
        } else {
            line(
                    "  %-40s %9s %8s %8s  %10s %8s %12s %8s  %8s %8s %8s  %11s  %s",
                    cell.parameters(),
                    count(figures.inMessages()),
                    mega(figures.inBytes()),
                    percent(figures.inFraction()),
                    count(figures.outMessages()),
                    mega(figures.outBytes()),
                    range(figures.outBytes()),
                    percent(figures.outFraction()),
                    nanos(figures.latencyNanos(50)),
                    nanos(figures.latencyNanos(99)),
                    nanos(figures.skewNanos(99)),
                    cores(figures),
                    figures.boundBy());
        }
        remarks(figures);
    }

    private void remarks(CellFigures figures) {
        Cell cell = figures.cell();
        Ceilings ceilings = cell.ceilings();
        int subscribers = cell.parameters().subscribers();
        if (ceilings != null) {
            line("    ceiling: %s (%s)", ceiling(ceilings, subscribers), ceilings.source());
        }
        if (!figures.comparable() && !figures.runs().isEmpty()) {
            line("    %s", notComparable(figures));
        }
        List<String> failures = cell.runs().stream()
                .flatMap(run -> run.outcome().failures().stream()
                        .map(failure -> "round " + run.moment().round() + ": " + failure))
                .toList();
        failures.stream().limit(FAILURES_LISTED).forEach(failure -> line("    FAIL %s", failure));
        if (failures.size() > FAILURES_LISTED) {
            line("    FAIL and %d more", failures.size() - FAILURES_LISTED);
        }
        cell.runs().stream()
                .filter(run -> !run.note().isEmpty())
                .forEach(run -> line("    round %d: %s", run.moment().round(), run.note()));
        String marks = cell.runs().stream()
                .filter(run -> !run.outcome().marks().isEmpty())
                .map(ShootoutTable::marked)
                .collect(Collectors.joining("; "));
        if (!marks.isEmpty()) {
            line("    %s", marks);
        }
    }

    private String notComparable(CellFigures figures) {
        return choice.counted(figures.runs()).isEmpty()
                        && !figures.runs().get(0).counts()
                ? Units.format(
                        "no run counts: these are medians of all %d valid ones, not to be set against others",
                        figures.runs().size())
                : Units.format(
                        "taken with cores %s, while most others were with cores %s: not to be set against those",
                        figures.regime(), choice.regime());
    }

    private static String marked(RunRecord run) {
        return Units.format(
                "round %d: %s (%.0f / %.0f ns)",
                run.moment().round(),
                String.join(", ", run.outcome().marks()),
                run.hops().beforeNanos(),
                run.hops().afterNanos());
    }

    private static String ceiling(Ceilings ceilings, int subscribers) {
        String text = rate(ceilings.batched()) + " batched";
        if (ceilings.single() != null) {
            text += ", " + rate(ceilings.single()) + " with one message a segment";
        }
        return subscribers == 1
                ? text
                : text
                        + Units.format(
                                "; each of %d subscribers: %s msg/s",
                                subscribers, Units.count(ceilings.batched().messagesPerSecond() / subscribers));
    }

    private static String rate(Ceilings.Rate rate) {
        return Units.format("%s msg/s, %.1f MB/s", Units.count(rate.messagesPerSecond()), rate.bytesPerSecond() / MEGA);
    }

    /** Deliveries of each lane as a multiple of the first one's, for every load that ran on several. */
    private void comparison(List<LaneResult> lanes) {
        List<LaneResult> measured =
                lanes.stream().filter(lane -> !lane.cells().isEmpty()).toList();
        if (measured.size() < 2) {
            return;
        }
        List<String> lines = new ArrayList<>();
        for (Cell reference : measured.get(0).cells()) {
            String ratios = measured.stream()
                    .skip(1)
                    .flatMap(lane -> lane.cells().stream()
                            .filter(cell -> cell.parameters().isSameLoad(reference.parameters()))
                            .map(cell -> ratio(lane, LaneRatio.of(cell, reference, choice))))
                    .collect(Collectors.joining(", "));
            if (!ratios.isEmpty()) {
                lines.add(Units.format("  %-40s %s", reference.parameters().load(), ratios));
            }
        }
        if (!lines.isEmpty()) {
            line(
                    "deliveries against %s, median of the rounds (min .. max)",
                    measured.get(0).label());
            lines.forEach(one -> line("%s", one));
            line("");
        }
    }

    private static String ratio(LaneResult lane, LaneRatio ratio) {
        Spread spread = ratio.ratio();
        return spread.isKnown()
                ? Units.format("%s %.3f (%.3f .. %.3f)", lane.label(), spread.median(), spread.min(), spread.max())
                : lane.label() + " not comparable";
    }

    private void machine(Shootout shootout) {
        if (choice.hasAny()) {
            int counted = choice.runs().get(choice.regime());
            String leftOut = choice.leftOut();
            line(
                    "%d run%s, with cores %s%s",
                    counted,
                    counted == 1 ? " counts" : "s count",
                    choice.regime(),
                    leftOut.isEmpty() ? "" : "; left out: " + leftOut);
        } else {
            line("no run counts: %s", choice.leftOut());
        }
        shootout.sites().forEach(site -> line("%s: %s", site.name(), site.machine()));
        Spread hops = Spread.of(
                shootout.lanes().stream()
                        .flatMap(lane -> lane.cells().stream())
                        .flatMap(cell -> cell.runs().stream())
                        .flatMap(run ->
                                Stream.of(run.hops().beforeNanos(), run.hops().afterNanos()))
                        .toList(),
                Double::doubleValue);
        if (hops.isKnown()) {
            line(
                    "core-to-core hop before and after the runs: median %,.0f ns (%,.0f .. %,.0f)",
                    hops.median(), hops.min(), hops.max());
        }
    }

    private static String count(Spread spread) {
        return spread.isKnown() ? Units.count(spread.median()) : NONE;
    }

    private static String mega(Spread spread) {
        return spread.isKnown() ? Units.format("%,.1f", spread.median() / MEGA) : NONE;
    }

    private static String range(Spread spread) {
        return spread.isKnown() ? Units.format("%,.0f..%,.0f", spread.min() / MEGA, spread.max() / MEGA) : "";
    }

    private static String percent(Spread spread) {
        return spread.isKnown() ? Units.format("%.1f %%", spread.median() * PERCENT) : NONE;
    }

    private static String nanos(Spread spread) {
        return spread.isKnown() ? Units.nanos(Math.round(spread.median())) : NONE;
    }

    private static String cores(CellFigures figures) {
        Spread relay = figures.relayCores();
        Spread all = figures.allCores();
        return (relay.isKnown() ? Units.format("%.2f", relay.median()) : NONE)
                + " of "
                + (all.isKnown() ? Units.format("%.2f", all.median()) : NONE);
    }

    private void line(String pattern, Object... values) {
        text.append(Units.format(pattern, values).stripTrailing()).append('\n');
    }
}
