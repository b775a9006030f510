package dev.msgrelay.client.cli;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.protocol.text.TextWidth;
import java.time.Duration;
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

    /** The columns that one comes for are the first: 79 columns hold all up to a usual address. */
    private static final String TABLE = "%8s %7s %s %7s %s %5s %s %s %s %s";

    private static final int STATE = 12;
    private static final int NAME = 13;
    private static final int ADDRESS = 21;
    private static final int POLICY = 12;

    private final JsonObject about;

    /** @param about the stream's first event */
    TopScreen(JsonObject about) {
        this.about = about;
    }

    /**
     * The lines for a terminal of {@code width} columns and {@code height} lines.
     *
     * @param before an earlier event of the same relay, which new counts are told against, or the same one
     */
    List<String> lines(JsonObject before, JsonObject now, int width, int height) {
        List<String> lines = new ArrayList<>();
        lines.add(head(now));
        lines.add(rateLine(now, "in ", "In") + ", publishers " + now.getLong("publishers"));
        lines.add(rateLine(now, "out", "Out") + ", subscribers " + now.getLong("subscribers"));
        lines.add("lag      " + lag(now));
        lines.add("core     " + core(now));
        if (about.isString("journal")) {
            lines.add("journal  " + journal(now));
        }
        String limits = limits(before, now);
        if (!limits.isEmpty()) {
            lines.add("limits   " + limits);
        }
        lines.add("memory   " + memory(now));
        lines.add("closed   "
                + orNone(now.getObject("closes").entrySet().stream()
                        .map(close -> close.getKey() + " " + close.getValue())
                        .collect(Collectors.joining("  "))));
        objects(now.getArray("ended")).limit(MOST_ENDED).forEach(ended -> lines.add("  " + endedLine(ended)));
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                TABLE,
                "lag",
                "seconds",
                column("state", STATE),
                "msg/s",
                column("name", NAME),
                "age",
                column("address", ADDRESS),
                column("policy", POLICY),
                "id",
                "types"));
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

    private String head(JsonObject now) {
        JsonObject cluster = now.getObject("cluster");
        String host = about.getString("host", "");
        return (now.getBoolean("ready")
                        ? "ready"
                        : now.getString("status", "ending").toUpperCase(Locale.ROOT))
                + (host.isEmpty() ? "" : "  " + host)
                + (cluster == null
                        ? ""
                        : "  node " + cluster.getLong("node") + " of " + cluster.getString("name", "")
                                + (cluster.getLong("node") == cluster.getLong("leader") ? ", leads" : ", follows"))
                + "  " + about.getString("version")
                + "  up " + ShortText.age((long) (now.getDouble("elapsedSeconds") * 1000))
                + "  " + Instant.parse(now.getString("time")).truncatedTo(ChronoUnit.SECONDS);
    }

    /** One direction: its rates, and its sum since the start. */
    private static String rateLine(JsonObject now, String name, String key) {
        return String.format(
                Locale.ROOT,
                "%s      %s, %s, %,d messages",
                name,
                rate(now, "messages" + key + "PerSecond", "msg/s"),
                rate(now, "bytes" + key + "PerSecond", "B/s"),
                now.getLong("messages" + key));
    }

    private static String rate(JsonObject now, String key, String unit) {
        JsonObject rate = now.getObject("rate");
        return rate == null ? "- " + unit : ShortText.of(rate.getDouble(key), unit);
    }

    private static String lag(JsonObject now) {
        return now.getLong("behind") + " over 1 s behind, the furthest "
                + ShortText.of(now.getLong("largestLagBytes"), "B") + "; the log has "
                + ShortText.age((long) (now.getDouble("logSeconds") * 1000)) + ", "
                + ShortText.of(now.getLong("logBytes"), "B");
    }

    private String core(JsonObject now) {
        JsonObject rate = now.getObject("rate");
        return (rate == null ? "-" : String.format(Locale.ROOT, "%.0f %%", 100 * rate.getDouble("coreShare")))
                + " of a processor; " + about.getString("transport") + "; slow subscribers: "
                + about.getString("slowSubscriber");
    }

    private static String journal(JsonObject now) {
        if (now.getLong("journalFailed") != 0) {
            return "FAILED: nothing is written any more";
        }
        long free = now.getLong("journalFreeBytes");
        return now.getLong("journalForcedLagMillis") + " ms behind, "
                + ShortText.of(now.getLong("journalFileBytes"), "B") + " in files"
                + (free < 0 ? "" : ", " + ShortText.of(free, "B") + " free");
    }

    /** The part nearest to its limit, among those that clients fill. */
    private String memory(JsonObject now) {
        JsonObject used = now.getObject("memory");
        return objects(about.getArray("parts"))
                .filter(part -> !part.getBoolean("atStart") && part.getLong("limit") > 0)
                .sorted((a, b) -> Double.compare(share(used, b), share(used, a)))
                .limit(1)
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
                    long more = now.getLong(key) - before.getLong(key);
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
                ShortText.of(row.getLong("lagBytes"), "B"),
                seconds(row),
                column(state(row), STATE),
                ShortText.of(row.getDouble("messagesPerSecond")),
                column(row.getString("name"), NAME),
                ShortText.age(row.getLong("ageMillis")),
                column(row.getString("address"), ADDRESS),
                column(policy(row), POLICY),
                row.getLong("id"),
                types.isEmpty() ? "all" : types);
    }

    private static String seconds(JsonObject row) {
        double seconds = row.getDouble("lagSeconds");
        return !row.has("lagSeconds") ? "-" : seconds < 1 ? "<1" : String.format(Locale.ROOT, "%.0f", seconds);
    }

    /** A column of printable text: a character that does not show is replaced before the width is counted. */
    private static String column(String text, int columns) {
        return TextWidth.left(PrintableText.line(text), columns);
    }

    /** The policy, and the interval at which it sends: "latest 500ms". */
    private static String policy(JsonObject row) {
        long interval = row.getLong("intervalMillis");
        return row.getString("policy") + (interval == 0 ? "" : " " + Durations.format(Duration.ofMillis(interval)));
    }

    private static String state(JsonObject row) {
        long conflated = row.getLong("conflated");
        if (conflated > 0 || !row.has("replayPercent")) {
            String words = conflated > 0 ? ShortText.of(conflated) + " conflated" : "";
            return Stream.of(row.getString("state"), row.getString("waitsFor", ""), words)
                    .filter(word -> !word.isEmpty())
                    .collect(Collectors.joining(", "));
        }
        long left = row.getLong("replayLeftMillis");
        return "journal " + row.getLong("replayPercent") + " %"
                + (left < 0 ? "" : ", " + ShortText.age(left) + " left");
    }
}
