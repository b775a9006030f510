package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.kill.Campaign.Line;
import dev.msgrelay.loadgen.kill.Campaign.Outcome;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.protocol.Level;
import java.util.List;
import java.util.stream.Stream;

/** What came of kills, power cuts and faults: for people and for programs. */
public final class KillReport {
    private KillReport() {}

    /** A line of the table: a level of an outcome. */
    private record Entry(Outcome outcome, Line line) {
        boolean isControl() {
            return line.account().level().compareTo(outcome.survived()) < 0;
        }
    }

    /** A whole document. */
    private record Document(long seed, boolean passed, List<Outcome> outcomes) {}

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

    private static Table table(List<Entry> entries) {
        return Table.of(
                "",
                entries,
                List.of(
                        Field.text("", entry -> entry.outcome().what()),
                        Field.text(
                                "level",
                                entry -> entry.line().account().level().flag()
                                        + (entry.isControl() ? " (control)" : "")),
                        Field.of("acknowledged", Unit.WHOLE, entry -> entry.line()
                                .account()
                                .acknowledged()),
                        Field.of(
                                "relay kills", Unit.WHOLE, entry -> entry.line().relayKills()),
                        Field.of("publisher kills", Unit.WHOLE, entry -> entry.line()
                                .publisherKills()),
                        Field.of("subscriber kills", Unit.WHOLE, entry -> entry.line()
                                .subscriberKills()),
                        Field.of("lost", Unit.WHOLE, entry -> entry.line()
                                .account()
                                .lost()),
                        Field.of("doubled", Unit.WHOLE, entry -> entry.line()
                                .account()
                                .doubled()),
                        Field.of("out of order", Unit.WHOLE, entry -> entry.line()
                                .account()
                                .disordered()),
                        Field.of("wrong", Unit.WHOLE, entry -> entry.line()
                                .account()
                                .wrong()),
                        Field.of("had", Unit.WHOLE, entry -> entry.line()
                                .account()
                                .had()),
                        Field.of("rolled back, told", Unit.WHOLE, entry -> entry.line()
                                .account()
                                .rolledBack()),
                        Field.of("gaps, told", Unit.WHOLE, entry -> entry.line()
                                .account()
                                .gaps())));
    }

    /** What shows that a loss would have been seen. */
    private static Stream<String> control(List<Entry> entries) {
        List<Entry> controls = entries.stream().filter(Entry::isControl).toList();
        if (controls.isEmpty()) {
            return Stream.empty();
        }
        long lost = controls.stream()
                .mapToLong(entry ->
                        entry.line().account().lost() + entry.line().account().rolledBack())
                .sum();
        return Stream.of(
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
