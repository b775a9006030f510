package dev.msgrelay.client.cli;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.protocol.text.TextWidth;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The screen of {@code relay-client top}: lines of text from two events of the admin port, and from the stream's first
 * event.
 */
final class TopScreen {
    private static final int MOST_ENDED = 5;
    private static final String TABLE = "%7s %s %s %s %s %7s %8s %8s %5s %s";

    private final JsonObject about;

    /** @param about the stream's first event */
    TopScreen(JsonObject about) {
        this.about = about;
    }

    /**
     * The lines for a terminal of {@code width} columns and {@code height} lines.
     *
     * @param before an earlier event of the same relay; null: there is none, and rates are unknown
     */
    List<String> lines(JsonObject before, JsonObject now, int width, int height) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s  %s, %s, slow subscribers: %s  %s",
                Instant.parse(now.getString("time")).truncatedTo(ChronoUnit.SECONDS),
                about.getString("version"),
                about.getString("transport"),
                about.getString("slowSubscriber"),
                now.getBoolean("ready")
                        ? "ready"
                        : now.getString("status", "ending").toUpperCase(Locale.ROOT)));
        lines.add(String.format(
                Locale.ROOT,
                "in %s  %s   out %s  %s   publishers %d  subscribers %d   lag %s",
                rate(before, now, "messagesIn", "msg/s"),
                rate(before, now, "bytesIn", "B/s"),
                rate(before, now, "messagesOut", "msg/s"),
                rate(before, now, "bytesOut", "B/s"),
                now.getLong("publishers"),
                now.getLong("subscribers"),
                ShortText.of(now.getLong("largestLagBytes"), "B")));
        lines.add("memory   " + memory(now));
        lines.add("limits   " + orNone(limits(before, now)));
        lines.add("closed   "
                + orNone(now.getObject("closes").entrySet().stream()
                        .map(close -> close.getKey() + " " + close.getValue())
                        .collect(Collectors.joining("  "))));
        objects(now.getArray("ended")).limit(MOST_ENDED).forEach(ended -> lines.add("  " + endedLine(ended)));
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                TABLE,
                "id",
                column("name", 16),
                column("address", 21),
                column("policy", 12),
                column("types", 12),
                "msg/s",
                "msgs lag",
                "lag",
                "age",
                "state"));
        int room = Math.max(1, height - lines.size());
        objects(now.getArray("lagging")).limit(room).forEach(row -> lines.add(row(row)));
        return lines.stream()
                .limit(height)
                .map(PrintableText::line)
                .map(line -> ShortText.cut(line, width).stripTrailing())
                .toList();
    }

    private static Stream<JsonObject> objects(JsonArray array) {
        return array.stream().map(JsonObject.class::cast);
    }

    private static String orNone(String text) {
        return text.isEmpty() ? "none" : text;
    }

    private static String rate(JsonObject before, JsonObject now, String key, String unit) {
        double seconds = before == null ? 0 : now.getDouble("elapsedSeconds") - before.getDouble("elapsedSeconds");
        return seconds <= 0 ? "- " + unit : ShortText.of((now.getLong(key) - before.getLong(key)) / seconds, unit);
    }

    /** The three parts nearest to their limits, among those that clients fill. */
    private String memory(JsonObject now) {
        JsonObject used = now.getObject("memory");
        return objects(about.getArray("parts"))
                .filter(part -> !part.getBoolean("atStart") && part.getLong("limit") > 0)
                .sorted((a, b) -> Double.compare(share(used, b), share(used, a)))
                .limit(3)
                .map(part -> part.getString("text") + " " + ShortText.of(used.getLong(part.getString("part")), "B")
                        + " of " + ShortText.of(part.getLong("limit"), "B"))
                .collect(Collectors.joining("   "));
    }

    private static double share(JsonObject used, JsonObject part) {
        return (double) used.getLong(part.getString("part")) / part.getLong("limit");
    }

    /** The limits that were reached so far, and how often since the event before. */
    private String limits(JsonObject before, JsonObject now) {
        return objects(about.getArray("counters"))
                .filter(counter -> counter.getBoolean("limit"))
                .map(counter -> counter.getString("key"))
                .filter(key -> now.getLong(key) > 0)
                .map(key -> {
                    long more = before == null ? 0 : now.getLong(key) - before.getLong(key);
                    return key + " " + ShortText.of(now.getLong(key))
                            + (more > 0 ? " (+" + ShortText.of(more) + ")" : "");
                })
                .collect(Collectors.joining("   "));
    }

    private static String endedLine(JsonObject ended) {
        String detail = ended.getString("detail");
        return Instant.parse(ended.getString("time")).truncatedTo(ChronoUnit.SECONDS) + "  " + ended.getString("who")
                + ": " + ended.getString("reason") + (detail.isEmpty() ? "" : ", " + detail);
    }

    private static String row(JsonObject row) {
        String types = row.getString("types");
        return String.format(
                Locale.ROOT,
                TABLE,
                row.getLong("id"),
                column(row.getString("name"), 16),
                column(row.getString("address"), 21),
                column(row.getString("policy"), 12),
                column(types.isEmpty() ? "all" : types, 12),
                ShortText.of(row.getDouble("messagesPerSecond")),
                ShortText.of(row.getLong("lagMessages")),
                ShortText.of(row.getLong("lagBytes"), "B"),
                ShortText.age(row.getLong("ageMillis")),
                state(row));
    }

    /** A column of printable text: a character that does not show is replaced before the width is counted. */
    private static String column(String text, int columns) {
        return TextWidth.left(PrintableText.line(text), columns);
    }

    private static String state(JsonObject row) {
        if (!row.has("replayPercent")) {
            return row.getString("state");
        }
        long left = row.getLong("replayLeftMillis");
        return "journal " + row.getLong("replayPercent") + " %"
                + (left < 0 ? "" : ", " + ShortText.age(left) + " left");
    }
}
