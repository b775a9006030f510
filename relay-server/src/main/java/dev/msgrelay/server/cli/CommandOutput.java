package dev.msgrelay.server.cli;

import dev.msgrelay.server.admin.JsonLine;
import dev.msgrelay.server.figures.QueuedOutput;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.event.Level;

/** The command's standard streams. They never wait for a reader, because a full pipe must not stop the relay. */
final class CommandOutput {
    /** Bytes of the queue of each stream: a few thousand lines. */
    private static final int QUEUE_BYTES = 256 << 10;

    /** Longest time to write the rest of each stream at the end, and longest time to print a table. */
    private static final long WAIT_MILLIS = 500;

    /** Lines of a table between two waits for the reader. */
    private static final int TABLE_PART = 100;

    private final QueuedOutput out;
    private final QueuedOutput err;
    // Standard output, line by line.
    private final PrintStream lines;
    private volatile boolean json;

    CommandOutput(OutputStream realOut, OutputStream realErr) {
        out = new QueuedOutput(realOut, QUEUE_BYTES, this::suppressed, "relay-stdout");
        lines = new PrintStream(out, true, charset("stdout.encoding"));
        err = new QueuedOutput(realErr, QUEUE_BYTES, CommandOutput::suppressedText, "relay-stderr");
    }

    /** Replaces the process's standard streams, which the log uses too, with queues. */
    static CommandOutput install() {
        CommandOutput output =
                new CommandOutput(new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err));
        System.setOut(output.lines);
        System.setErr(new PrintStream(output.err, true, charset("stderr.encoding")));
        return output;
    }

    /** The charset of the JVM's own stream, for which newer JVMs have a property. */
    private static Charset charset(String property) {
        return Charset.forName(System.getProperty(property, System.getProperty("native.encoding", "UTF-8")));
    }

    /** From now on, writes everything as JSON on standard output, the log too. */
    void speakJson() {
        json = true;
        if (System.out == lines) {
            CommandLog.speakJson(lines);
        }
    }

    boolean speaksJson() {
        return json;
    }

    private String suppressed(long lines) {
        return json
                ? JsonLine.event("suppressed", Instant.now())
                        .text("level", Level.WARN.name())
                        .number("lines", lines)
                        .toLine()
                : suppressedText(lines);
    }

    private static String suppressedText(long lines) {
        return lines + (lines == 1 ? " line suppressed: nobody read it" : " lines suppressed: nobody read them");
    }

    /**
     * Prints a table's lines at the reader's speed, so that no line is dropped for lack of room. After half a second
     * the rest is queued like all lines.
     */
    void printTable(PrintWriter to, Stream<String> table) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS);
        int printed = 0;
        for (String line : (Iterable<String>) table::iterator) {
            to.println(line);
            to.flush();
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (++printed % TABLE_PART == 0 && left > 0) {
                out.finish(left);
            }
        }
    }

    /** Waits at the end until both streams are written, for at most half a second each. */
    void finish() {
        out.finish(WAIT_MILLIS);
        err.finish(WAIT_MILLIS);
    }
}
