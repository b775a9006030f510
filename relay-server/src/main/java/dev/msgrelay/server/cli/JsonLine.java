package dev.msgrelay.server.cli;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** One JSON object as one line of ASCII, whatever the strings in it are, so that no terminal's encoding matters. */
final class JsonLine {
    private final StringBuilder line = new StringBuilder(1024).append('{');

    /** An event that happens now. */
    static JsonLine event(String event) {
        return event(event, Instant.now());
    }

    static JsonLine event(String event, Instant time) {
        return new JsonLine()
                .text("event", event)
                .text("time", time.truncatedTo(ChronoUnit.MILLIS).toString());
    }

    JsonLine number(String name, long value) {
        name(name).append(value);
        return this;
    }

    /** With three decimals: String.format would be the dearest part of a line, and there is one every second. */
    JsonLine decimal(String name, double value) {
        long thousandths = Math.round(Math.abs(value) * 1000);
        name(name)
                .append(value < 0 && thousandths > 0 ? "-" : "")
                .append(thousandths / 1000)
                .append('.')
                .append(String.valueOf(1000 + thousandths % 1000), 1, 4);
        return this;
    }

    /** @param value null: as JSON's */
    JsonLine text(String name, String value) {
        name(name);
        if (value == null) {
            line.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    /** An object within begins. */
    JsonLine begin(String name) {
        name(name).append('{');
        return this;
    }

    /** It ends. */
    JsonLine close() {
        line.append('}');
        return this;
    }

    /** The line, complete. */
    String end() {
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
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        line.append('"');
    }
}
