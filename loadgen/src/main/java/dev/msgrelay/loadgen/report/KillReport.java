package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.kill.Account.Count;
import dev.msgrelay.loadgen.kill.Account.Row;
import dev.msgrelay.loadgen.kill.Campaign.Line;
import dev.msgrelay.loadgen.kill.Campaign.Outcome;
import dev.msgrelay.loadgen.kill.ClusterCampaign;
import dev.msgrelay.loadgen.kill.ClusterCampaign.Incidents;
import dev.msgrelay.loadgen.kill.ClusterCampaign.Stream;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.protocol.Level;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** What came of kills, power cuts and faults, of one relay and of a cluster: for people and for programs. */
public final class KillReport {
    private KillReport() {}

    /** A line of the table: a level of an outcome. */
    private record Entry(Outcome outcome, Line line) {
        boolean isControl() {
            return account().level().compareTo(outcome.survived()) < 0;
        }

        Row account() {
            return line.account();
        }
    }

    private record Document(long seed, boolean passed, List<Outcome> outcomes) {}

    private record ClusterDocument(long seed, boolean passed, ClusterCampaign.Outcome outcome) {}

    /** Whether something was done, and everything is as it ought to be. */
    public static boolean passed(List<Outcome> outcomes) {
        return isDone(outcomes)
                && outcomes.stream().allMatch(outcome -> outcome.findings().isEmpty());
    }

    private static boolean isDone(List<Outcome> outcomes) {
        return outcomes.stream().anyMatch(outcome -> outcome.skipped() == null);
    }

    public static String json(long seed, List<Outcome> outcomes) {
        return Json.text(new Document(seed, passed(outcomes), outcomes));
    }

    /** The table, what was found, and the verdict. */
    public static String text(long seed, List<Outcome> outcomes) {
        List<Entry> entries = outcomes.stream()
                .flatMap(outcome -> outcome.lines().stream().map(line -> new Entry(outcome, line)))
                .toList();
        StringBuilder text = new StringBuilder(TextTable.of(table(entries)));
        outcomes.stream()
                .filter(outcome -> outcome.skipped() != null)
                .forEach(outcome -> text.append(outcome.what() + ": skipped: " + outcome.skipped() + "\n"));
        control(entries).forEach(line -> text.append(line).append('\n'));
        outcomes.forEach(
                outcome -> outcome.findings().forEach(finding -> text.append(outcome.what() + ": " + finding + "\n")));
        text.append(isDone(outcomes) ? passed(outcomes) ? "PASS" : "FAIL" : "nothing was done")
                .append(": seed ")
                .append(seed)
                .append('\n');
        return text.toString();
    }

    public static String json(long seed, ClusterCampaign.Outcome outcome) {
        return Json.text(new ClusterDocument(seed, outcome.passed(), outcome));
    }

    /** What went wrong and for how long, what each node has, what was found, and the verdict. */
    public static String text(long seed, ClusterCampaign.Outcome outcome) {
        StringBuilder text = new StringBuilder();
        if (!outcome.incidents().isEmpty()) {
            text.append(TextTable.of(incidents(outcome))).append('\n').append(TextTable.of(streams(outcome)));
        }
        outcome.skipped().forEach(line -> text.append("skipped: " + line + "\n"));
        outcome.findings().forEach(line -> text.append(line).append('\n'));
        if (outcome.streams().isEmpty()) {
            return text.append("nothing was done: seed " + seed + "\n").toString();
        }
        return text.append(outcome.passed() ? "PASS" : "FAIL")
                .append(": seed ")
                .append(seed)
                .append('\n')
                .toString();
    }

    private static Table incidents(ClusterCampaign.Outcome outcome) {
        return Table.of(
                "nothing was acknowledged, to the publisher that waited least, and to the one that waited longest:",
                outcome.incidents(),
                List.of(
                        Field.text("", row -> row.kind().text()),
                        Field.of("times", Unit.WHOLE, Incidents::times),
                        Field.of("nodes that ended", Unit.WHOLE, Incidents::nodesEnded),
                        Field.of("least, median", Unit.SECONDS, row -> row.least()
                                .medianSeconds()),
                        Field.of("worst", Unit.SECONDS, row -> row.least().worstSeconds()),
                        Field.of("longest, median", Unit.SECONDS, row -> row.most()
                                .medianSeconds()),
                        Field.of("worst", Unit.SECONDS, row -> row.most().worstSeconds())));
    }

    private static Table streams(ClusterCampaign.Outcome outcome) {
        List<Field<Stream>> fields = new ArrayList<>(List.of(
                Field.text("", row -> "node " + row.node()),
                Field.of("messages", Unit.WHOLE, Stream::messages),
                Field.text("digest", Stream::digest)));
        fields.addAll(counts(EnumSet.complementOf(EnumSet.of(Count.UNTOLD, Count.ROLLED_BACK)), Stream::account));
        return Table.of("", outcome.streams(), fields);
    }

    private static Table table(List<Entry> entries) {
        List<Field<Entry>> fields = new ArrayList<>(List.of(
                Field.text("", entry -> entry.outcome().what()),
                Field.text(
                        "level", entry -> entry.account().level().flag() + (entry.isControl() ? " (control)" : ""))));
        fields.addAll(counts(EnumSet.of(Count.ACKNOWLEDGED), Entry::account));
        fields.addAll(List.of(
                Field.of("relay kills", Unit.WHOLE, entry -> entry.line().relayKills()),
                Field.of("publisher kills", Unit.WHOLE, entry -> entry.line().publisherKills()),
                Field.of("subscriber kills", Unit.WHOLE, entry -> entry.line().subscriberKills())));
        fields.addAll(counts(EnumSet.complementOf(EnumSet.of(Count.ACKNOWLEDGED, Count.UNTOLD)), Entry::account));
        return Table.of("", entries, fields);
    }

    private static <T> List<Field<T>> counts(Set<Count> which, Function<T, Row> account) {
        return which.stream()
                .map(count -> Field.<T>of(
                        count.title(), Unit.WHOLE, row -> account.apply(row).get(count)))
                .toList();
    }

    /** What shows that a loss would have been seen. */
    private static List<String> control(List<Entry> entries) {
        List<Entry> controls = entries.stream().filter(Entry::isControl).toList();
        if (controls.isEmpty()) {
            return List.of();
        }
        long lost = controls.stream()
                .mapToLong(entry ->
                        entry.account().get(Count.LOST) + entry.account().get(Count.ROLLED_BACK))
                .sum();
        return List.of(
                lost > 0
                        ? "control: below level " + name(entries) + " messages are lost, as they may be: a loss is seen"
                        : "control: nothing was lost below level " + name(entries)
                                + ", so this does not show that a loss would be seen: more kills, or a higher --rate");
    }

    private static String name(List<Entry> entries) {
        return entries.stream()
                .map(entry -> entry.outcome().survived())
                .distinct()
                .map(Level::flag)
                .reduce((a, b) -> a + " or " + b)
                .orElse("");
    }
}
