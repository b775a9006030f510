package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;
import static dev.msgrelay.loadgen.report.RunEvidence.nanos;
import static dev.msgrelay.loadgen.report.RunPart.perSecond;

import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.text.ShortText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Summarises a {@code loadgen run} in a few lines: the result in one sentence, cautions, and whether every message was
 * correct. If the user set targets, the first word says whether the targets were met.
 */
public final class RunSummary {
    private final List<RunPart> parts;
    private final RunPart first;
    private final Targets targets;
    private final Optional<RunPart> timed;

    /**
     * The targets that the user set.
     *
     * @param p99Nanos the highest acceptable p99, at the given rate or at any rate of the curve; null: no target
     */
    public record Targets(Long p99Nanos, Integer minRate) {
        public static final Targets NONE = new Targets(null, null);

        private boolean isMetBy(RunPart part) {
            return p99Nanos == null || part.run().delays().latencyAt(99) <= p99Nanos;
        }

        private String text() {
            return Stream.of(
                            minRate == null ? "" : perSecond(minRate) + " at least",
                            p99Nanos == null ? "" : "p99 within " + nanos(p99Nanos))
                    .filter(one -> !one.isEmpty())
                    .collect(Collectors.joining(", "));
        }
    }

    private RunSummary(Results results, Targets targets) {
        this.parts = RunPart.of(results);
        this.first = parts.get(0);
        this.targets = targets;
        this.timed = first.isPaced() ? Optional.of(first) : fromTheCurve();
    }

    /** @param results results of one lane, with one run for each rate, sorted by rate; full speed comes first */
    public static RunSummary of(Results results, Targets targets) {
        return new RunSummary(results, targets);
    }

    /** Returns the lines. The result comes first, or the failures if a message was wrong. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        String word = word();
        lines.add((word.isEmpty() ? "" : word + ": ") + result() + (isMissed() ? "; wanted: " + targets.text() : ""));
        timed.filter(RunPart::isLate)
                .ifPresent(part -> lines.add(format(
                        "caution: %.2f %% left more than 1 ms late; %s",
                        100 * part.late(), part.signals().lateness().text())));
        parts.stream()
                .flatMap(RunPart::withPlain)
                .flatMap(part -> part.run().outcome().environment().stream())
                .findFirst()
                .ifPresent(line -> lines.add("caution: the machine was busy: " + line));
        boolean wrong = !failures().isEmpty();
        lines.addAll(wrong ? 0 : lines.size(), verdict());
        return lines;
    }

    /**
     * Returns the exit code: not whole if a message was wrong, missed if a target was not met, or if this machine was
     * too busy to decide.
     */
    public int exitCode() {
        return !failures().isEmpty() ? ExitCodes.NOT_WHOLE : isMissed() ? ExitCodes.MISSED : ExitCodes.DONE;
    }

    /**
     * Returns the highest rate at which messages were sent in time and the target was met. If there is none, only the
     * target must be met, or else messages must only be in time, or else neither.
     */
    private Optional<RunPart> fromTheCurve() {
        return highest(part -> !part.isLate() && targets.isMetBy(part))
                .or(() -> targets.p99Nanos() == null ? Optional.empty() : highest(targets::isMetBy))
                .or(() -> highest(part -> !part.isLate()))
                .or(() -> highest(part -> true));
    }

    /** Returns the highest rate that was fully delivered, among those that {@code which} accepts. */
    private Optional<RunPart> highest(Predicate<RunPart> which) {
        return parts.stream()
                .filter(part -> part.isWhole() && part.isTimed())
                .filter(which)
                .max(Comparator.comparingDouble(part -> part.load().wanted()));
    }

    private String result() {
        int subscribers = first.load().subscribers();
        String each = subscribers == 1 ? "" : format(" to each of %,d subscribers", subscribers);
        if (first.isPaced()) {
            String latency = first.isTimed() ? ", " + first.latency() + besidePlain(first) : "";
            return first.isWhole()
                    ? first.pace() + came(" delivered whole") + each + latency
                    : perSecond(first.delivered()).replace(" msg/s", "") + " of " + first.pace() + " delivered" + each
                            + latency;
        }
        double most = first.load().hasInterval() ? first.signals().rates().in() : first.delivered();
        String speed = "full speed " + perSecond(most) + came("") + each + share();
        if (timed.isEmpty()) {
            return speed + (parts.size() == 1 ? "" : "; no rate below it was delivered whole");
        }
        Optional<RunPart> whole = highest(part -> true);
        return speed + "; " + timed.get().latency() + " at " + timed.get().pace() + besidePlain(timed.get())
                + (whole.equals(timed) ? "" : "; up to " + whole.get().pace() + " delivered whole");
    }

    /** Returns what came of the messages of this rate; with an interval those that stand for all. */
    private String came(String whole) {
        int every = first.load().intervalMillis();
        return every == 0 ? whole : format(", the newest of each type every %,d ms", every);
    }

    /** Returns the latency of the plain relay at the same rate, unless its congestion control is another one. */
    private static String besidePlain(RunPart part) {
        return part.plain()
                .filter(plain -> plain.run().outcome().isValid() && plain.isTimed())
                .filter(plain -> plain.run().resources().isSentLike(part.run().resources()))
                .map(plain -> format(" (plain relay: %s)", plain.latency()))
                .orElse("");
    }

    private String share() {
        if (first.cell().shares().isEmpty()) {
            return "";
        }
        Share share = first.cell().shares().get(0);
        double part = Double.isNaN(share.out()) ? share.in() : share.out();
        String of = first.cell().ceilings().isLink() ? "link" : "ceiling";
        return Double.isNaN(part) ? "" : format(", %.2f of the %s", part, of);
    }

    private String word() {
        return targets.equals(Targets.NONE) ? "" : !isMissed() ? "MET" : isDecided() ? "MISSED" : "UNDECIDED";
    }

    private boolean isMissed() {
        return isTooSlow() || isTooLate();
    }

    private boolean isTooSlow() {
        return targets.minRate() != null && !(first.delivered() >= targets.minRate());
    }

    private boolean isTooLate() {
        return targets.p99Nanos() != null && timed.filter(targets::isMetBy).isEmpty();
    }

    /** Whether a missed target is certain, since neither other programs nor loadgen's own delays explain it. */
    private boolean isDecided() {
        boolean disturbed = parts.stream()
                .anyMatch(part -> !part.run().outcome().environment().isEmpty());
        boolean ownLateness = isTooLate() && parts.stream().anyMatch(part -> part.isPaced() && part.isOwnLateness(99));
        return !disturbed && !(ownLateness && !isTooSlow());
    }

    private List<String> failures() {
        return parts.stream()
                .flatMap(part -> part.run().outcome().failures().stream())
                .distinct()
                .toList();
    }

    private List<String> verdict() {
        List<String> failures = failures();
        long messages = parts.stream()
                .mapToLong(part -> part.run().throughput().out().messages())
                .sum();
        long skipped = sum(one -> one.told().missed());
        long compared = sum(one -> one.state().compared());
        String more = (skipped == 0 ? "" : format("; %,d more skipped by the relay, and told", skipped))
                + (compared == 0
                        ? ""
                        : format(
                                "; the state compared at %s, %,d messages passed over",
                                ShortText.counted(compared, "PING"),
                                sum(one -> one.state().passedOver())));
        if (!failures.isEmpty()) {
            String faults = faults();
            List<String> lines = new ArrayList<>();
            lines.add(format("FAIL: of %,d messages %s", messages, faults.isEmpty() ? "see below" : faults) + more);
            failures.forEach(failure -> lines.add("  " + failure));
            return lines;
        }
        return List.of(
                first.checks().checked()
                        ? format("PASS: all %,d messages right: every byte, once, in order%s", messages, more)
                        : format("not checked: subscribers only counted %,d messages%s", messages, more));
    }

    private String faults() {
        return Stream.of(
                        count("lost", one -> Math.max(0, one.lost() - one.told().missed())),
                        count("not delivered in time", SubscriberResult::undelivered),
                        count("duplicated", one -> one.faults().duplicated()),
                        count("out of order", one -> one.faults().reordered()),
                        count("corrupted", one -> one.faults().corrupted()),
                        count("foreign", one -> one.faults().foreign()),
                        count("times a wrong state", one -> one.state().wrong()))
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
}
