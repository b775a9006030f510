package dev.msgrelay.loadgen.report;

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
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

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

    /** Whether everything is as it ought to be. */
    public static boolean passed(List<Outcome> outcomes) {
        return outcomes.stream().allMatch(outcome -> outcome.findings().isEmpty());
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
        text.append(passed(outcomes) ? "PASS" : "FAIL")
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
                        seconds("least, median", row -> row.least().median()),
                        seconds("worst", row -> row.least().worst()),
                        seconds("longest, median", row -> row.most().median()),
                        seconds("worst", row -> row.most().worst())));
    }

    private static Field<Incidents> seconds(String title, ToDoubleFunction<Incidents> value) {
        return Field.of(title, Unit.SECONDS, value::applyAsDouble);
    }

    private static Table streams(ClusterCampaign.Outcome outcome) {
        return Table.of(
                "",
                outcome.streams(),
                List.of(
                        Field.text("", row -> "node " + row.node()),
                        ofNode("messages", Stream::messages),
                        Field.text("digest", Stream::digest),
                        ofNode("acknowledged", row -> row.account().acknowledged()),
                        ofNode("lost", row -> row.account().lost()),
                        ofNode("doubled", row -> row.account().doubled()),
                        ofNode("out of order", row -> row.account().disordered()),
                        ofNode("wrong", row -> row.account().wrong()),
                        ofNode("had", row -> row.account().had()),
                        ofNode("gaps, told", row -> row.account().gaps())));
    }

    private static Field<Stream> ofNode(String title, ToLongFunction<Stream> value) {
        return Field.of(title, Unit.WHOLE, value::applyAsLong);
    }

    private static Table table(List<Entry> entries) {
        return Table.of(
                "",
                entries,
                List.of(
                        Field.text("", entry -> entry.outcome().what()),
                        Field.text(
                                "level",
                                entry -> entry.account().level().flag() + (entry.isControl() ? " (control)" : "")),
                        count("acknowledged", entry -> entry.account().acknowledged()),
                        count("relay kills", entry -> entry.line().relayKills()),
                        count("publisher kills", entry -> entry.line().publisherKills()),
                        count("subscriber kills", entry -> entry.line().subscriberKills()),
                        count("lost", entry -> entry.account().lost()),
                        count("doubled", entry -> entry.account().doubled()),
                        count("out of order", entry -> entry.account().disordered()),
                        count("wrong", entry -> entry.account().wrong()),
                        count("had", entry -> entry.account().had()),
                        count("rolled back, told", entry -> entry.account().rolledBack()),
                        count("gaps, told", entry -> entry.account().gaps())));
    }

    private static Field<Entry> count(String title, ToLongFunction<Entry> value) {
        return Field.of(title, Unit.WHOLE, value::applyAsLong);
    }

    /** What shows that a loss would have been seen. */
    private static List<String> control(List<Entry> entries) {
        List<Entry> controls = entries.stream().filter(Entry::isControl).toList();
        if (controls.isEmpty()) {
            return List.of();
        }
        long lost = controls.stream()
                .mapToLong(entry -> entry.account().lost() + entry.account().rolledBack())
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
