package dev.msgrelay.client.cli;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Tells what happens to the connection: in plain words on stderr, or as JSON among the messages on stdout. A relay that
 * makes much of it happen does not fill stderr: what is over the {@link LineLimit} is summed up in the next line, and at
 * the end. JSON is for programs, and has all of it. Called by the one thread that owns the connection, and {@link #end}
 * once that has done its work.
 */
final class EventPrinter {
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;
    private final boolean quiet;
    private final LongSupplier clock;
    private final LineLimit limit;

    // Guarded by this.
    private long linesLeftOut;
    private long gapsLeftOut;
    private long missed;
    private long firstMissed;
    private long lastMissed;

    /** @param quiet gaps only */
    EventPrinter(PrintWriter out, PrintWriter err, boolean json, boolean quiet) {
        this(out, err, json, quiet, System::nanoTime);
    }

    EventPrinter(PrintWriter out, PrintWriter err, boolean json, boolean quiet, LongSupplier clock) {
        this.out = out;
        this.err = err;
        this.json = json;
        this.quiet = quiet;
        this.clock = clock;
        this.limit = new LineLimit(clock.getAsLong());
    }

    synchronized void gap(Gap gap) {
        if (json) {
            StringBuilder line = new StringBuilder("{\"event\":\"gap\",\"from\":").append(gap.from());
            line.append(",\"to\":").append(gap.to());
            line.append(",\"code\":").append(gap.code()).append("}");
            out.println(line);
        } else if (!tell(gap.text())) {
            firstMissed = gapsLeftOut == 0 ? gap.from() : firstMissed;
            lastMissed = gap.to();
            missed += gap.count();
            gapsLeftOut++;
        }
    }

    synchronized void event(SessionEvent event) {
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
        } else if (!tell(event.text())) {
            linesLeftOut++;
        }
    }

    /** Nothing more will happen: what was left out is summed up. */
    synchronized void end() {
        sumUp();
    }

    /** Behind the messages that came before it; false: there were too many lines just now. */
    private boolean tell(String text) {
        if (!limit.take(clock.getAsLong())) {
            return false;
        }
        sumUp();
        print(text);
        return true;
    }

    private void sumUp() {
        if (gapsLeftOut > 0) {
            print("missed " + missed + " messages in " + ShortText.counted(gapsLeftOut, "more gap") + ", between "
                    + firstMissed + " and " + lastMissed);
        }
        if (linesLeftOut > 0) {
            print(ShortText.counted(linesLeftOut, "more line") + " about the connection left out");
        }
        gapsLeftOut = 0;
        linesLeftOut = 0;
        missed = 0;
    }

    private void print(String text) {
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
