package dev.msgrelay.client.cli;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Prints events of the connection: in plain words on stderr, or as JSON among the messages on stdout. A relay that
 * causes many events does not fill stderr: lines over a limit, {@link #BURST} at once and then one a second, are summed
 * up in the next line, and at the end. JSON is for programs, and has all events. Called by the threads that own the
 * connections; {@link #sumUp} is called after their work.
 */
final class EventPrinter {
    static final int BURST = 20;

    private static final long REFILL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;
    private final boolean quiet;
    private final LongSupplier clock;

    // Guarded by this object's lock.
    private int linesAllowed = BURST;
    private long refilledAt;
    private long linesLeftOut;
    private long gapsLeftOut;
    private long missed;
    private long firstMissed;
    private long lastMissed;
    private long passedOver;

    /** @param quiet prints gaps only */
    EventPrinter(PrintWriter out, PrintWriter err, boolean json, boolean quiet) {
        this(out, err, json, quiet, System::nanoTime);
    }

    EventPrinter(PrintWriter out, PrintWriter err, boolean json, boolean quiet, LongSupplier clock) {
        this.out = out;
        this.err = err;
        this.json = json;
        this.quiet = quiet;
        this.clock = clock;
        this.refilledAt = clock.getAsLong();
    }

    synchronized void gap(Gap gap) {
        if (json) {
            StringBuilder line = new StringBuilder("{\"event\":\"gap\",\"from\":").append(gap.from());
            line.append(",\"to\":").append(gap.to());
            line.append(",\"code\":").append(gap.code()).append("}");
            out.println(line);
        } else if (!gap.isLoss()) {
            passedOver += gap.count();
        } else if (!tryPrint(gap.text())) {
            firstMissed = gapsLeftOut == 0 ? gap.from() : firstMissed;
            lastMissed = gap.to();
            missed += gap.count();
            gapsLeftOut++;
        }
    }

    synchronized void event(SessionEvent event) {
        // Connecting is clear from its outcome; the command itself prints the last failure.
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
            line.append('"');
            if (event instanceof SessionEvent.Connected connected
                    && connected.welcome().intervalMillis() > 0) {
                line.append(",\"intervalMillis\":").append(connected.welcome().intervalMillis());
            }
            out.append(line).append("}").println();
        } else if (!tryPrint(event.text())) {
            linesLeftOut++;
        }
    }

    /** Prints a line behind the messages before it; returns false if there were too many lines just now. */
    private boolean tryPrint(String text) {
        long more = (clock.getAsLong() - refilledAt) / REFILL_NANOS;
        linesAllowed = (int) Math.min(BURST, linesAllowed + more);
        refilledAt += more * REFILL_NANOS;
        if (linesAllowed == 0) {
            return false;
        }
        linesAllowed--;
        sumUp();
        print(text);
        return true;
    }

    /** Ends the run: sums up what is left out, and how many messages newer ones of the same types have replaced. */
    synchronized void end() {
        sumUp();
        if (passedOver > 0 && !quiet) {
            print("passed over " + ShortText.groupedOf(passedOver, "message")
                    + ": newer ones of the same types had taken their place, or --types left them out");
        }
        passedOver = 0;
    }

    /** Sums up the events left out: in front of the next line, and at the end. */
    synchronized void sumUp() {
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

    /** The event's name in JSON: connected, lost, goingAway and so on. */
    private static String word(SessionEvent event) {
        String name = event.getClass().getSimpleName();
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }
}
