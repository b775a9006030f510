package dev.msgrelay.server.admin;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** One JSON object as one line of ASCII, whatever the strings in it are, so that no terminal's encoding matters. */
public final class JsonLine {
    private final StringBuilder line = new StringBuilder(1024).append('{');

    /** An object. */
    public static JsonLine object() {
        return new JsonLine();
    }

    /** An event that happens now. */
    public static JsonLine event(String event) {
        return event(event, Instant.now());
    }

    public static JsonLine event(String event, Instant time) {
        return new JsonLine()
                .text("event", event)
                .text("time", time.truncatedTo(ChronoUnit.MILLIS).toString());
    }

    public JsonLine number(String name, long value) {
        name(name).append(value);
        return this;
    }

    public JsonLine truth(String name, boolean value) {
        name(name).append(value);
        return this;
    }

    /** With three decimals: String.format would be the dearest part of a line, and there is one every second. */
    public JsonLine decimal(String name, double value) {
        long thousandths = Math.round(Math.abs(value) * 1000);
        name(name)
                .append(value < 0 && thousandths > 0 ? "-" : "")
                .append(thousandths / 1000)
                .append('.')
                .append(String.valueOf(1000 + thousandths % 1000), 1, 4);
        return this;
    }

    /** @param value null: as JSON's */
    public JsonLine text(String name, String value) {
        name(name);
        if (value == null) {
            line.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    /** An object within begins. */
    public JsonLine begin(String name) {
        name(name).append('{');
        return this;
    }

    /** It ends. */
    public JsonLine close() {
        line.append('}');
        return this;
    }

    /** A list of objects within begins. */
    public JsonLine beginList(String name) {
        name(name).append('[');
        return this;
    }

    /** An object of the list begins; {@link #close} ends it. */
    public JsonLine item() {
        if (line.charAt(line.length() - 1) != '[') {
            line.append(',');
        }
        line.append('{');
        return this;
    }

    /** The list ends. */
    public JsonLine closeList() {
        line.append(']');
        return this;
    }

    /** The line, complete. */
    public String end() {
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
                // Beyond ASCII in UTF-16 code units, as JSON wants it; a lone half of a pair does no harm so.
                line.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        line.append('"');
    }
}
