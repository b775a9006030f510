package dev.msgrelay.client.cli;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.text.PrintableText;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * Tells what happens to the connection: in plain words on stderr, or as JSON among the messages on stdout. Called by the
 * one thread that owns the connection.
 */
final class EventPrinter {
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;
    private final boolean quiet;

    /** @param quiet gaps only */
    EventPrinter(PrintWriter out, PrintWriter err, boolean json, boolean quiet) {
        this.out = out;
        this.err = err;
        this.json = json;
        this.quiet = quiet;
    }

    void gap(Gap gap) {
        if (json) {
            StringBuilder line = new StringBuilder("{\"event\":\"gap\",\"from\":").append(gap.from());
            line.append(",\"to\":").append(gap.to());
            line.append(",\"code\":").append(gap.code()).append("}");
            out.println(line);
        } else {
            tell(gap.text());
        }
    }

    void event(SessionEvent event) {
        // That a try begins is told by its outcome; the last failure is told as the command's own.
        boolean told = event instanceof SessionEvent.Connecting || event instanceof SessionEvent.GaveUp;
        if (quiet || told) {
            return;
        }
        if (json) {
            StringBuilder line = new StringBuilder("{\"event\":\"").append(word(event));
            line.append("\",\"endpoint\":\"");
            PrintableText.appendEscaped(
                    line, PrintableText.line(event.endpoint().toString()));
            line.append("\",\"text\":\"");
            PrintableText.appendEscaped(line, PrintableText.line(event.text()));
            out.append(line).append("\"}").println();
        } else {
            tell(event.text());
        }
    }

    /** Behind the messages that came before it. */
    private void tell(String text) {
        out.flush();
        err.println(PrintableText.line(text));
        err.flush();
    }

    /** connected, lost, goingAway and so on. */
    private static String word(SessionEvent event) {
        String name = event.getClass().getSimpleName();
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }
}
