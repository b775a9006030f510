package dev.msgrelay.server.admin;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A JSON object as one line of ASCII: other characters are escaped, so that a terminal's encoding does not matter. */
public final class JsonLine {
    private final StringBuilder line = new StringBuilder(1024).append('{');

    public static JsonLine event(String event, Instant time) {
        return new JsonLine()
                .text("event", event)
                .text("time", time.truncatedTo(ChronoUnit.MILLIS).toString());
    }

    /** @param value a count, size or time; not an id of 64 bits, since many JSON parsers round numbers above 2^53 */
    public JsonLine number(String name, long value) {
        name(name).append(value);
        return this;
    }

    public JsonLine truth(String name, boolean value) {
        name(name).append(value);
        return this;
    }

    /** Adds a number with three decimals. {@code String.format} would be many times slower. */
    public JsonLine decimal(String name, double value) {
        long thousandths = Math.round(Math.abs(value) * 1000);
        name(name)
                .append(value < 0 && thousandths > 0 ? "-" : "")
                .append(thousandths / 1000)
                .append('.')
                .append(String.valueOf(1000 + thousandths % 1000), 1, 4);
        return this;
    }

    /** @param value null is written as JSON's null */
    public JsonLine text(String name, String value) {
        name(name);
        if (value == null) {
            line.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    /** Adds an object, to which {@code members} adds the members. */
    public JsonLine object(String name, Consumer<JsonLine> members) {
        name(name).append('{');
        members.accept(this);
        line.append('}');
        return this;
    }

    /** Adds a list with an object for each item, to which {@code members} adds the members. */
    public <T> JsonLine list(String name, Stream<T> items, BiConsumer<JsonLine, T> members) {
        name(name).append('[');
        items.forEach(item -> {
            line.append(line.charAt(line.length() - 1) == '[' ? "{" : ",{");
            members.accept(this, item);
            line.append('}');
        });
        line.append(']');
        return this;
    }

    public String toLine() {
        return line.append('}').toString();
    }

    private StringBuilder name(String name) {
        if (line.charAt(line.length() - 1) != '{') {
            line.append(',');
        }
        quote(name);
        return line.append(':');
    }

    private void quote(String value) {
        line.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                // JSON escapes each UTF-16 code unit by itself, so a surrogate without its pair is no error.
                line.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        line.append('"');
    }
}
