package dev.msgrelay.server.cli;

import dev.msgrelay.server.admin.JsonLine;
import dev.msgrelay.server.figures.QueuedOutput;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.time.Instant;
import org.slf4j.event.Level;

/**
 * The command's standard streams. Printing never waits for a reader: a relay whose output is a full pipe relays on. The
 * library does not touch {@code System.out} and {@code System.err}.
 */
final class CommandOutput {
    /** Bytes of the queue of each stream: a few thousand lines. */
    private static final int QUEUE_BYTES = 256 << 10;

    /** Time to write the rest of each stream, at the end. */
    private static final long FINISH_MILLIS = 500;

    private final QueuedOutput out;
    // Standard output, line by line.
    private final PrintStream lines;
    private final QueuedOutput err;
    private volatile boolean json;

    CommandOutput(OutputStream realOut, OutputStream realErr) {
        out = new QueuedOutput(realOut, QUEUE_BYTES, this::suppressed, "relay-stdout");
        lines = new PrintStream(out, true, charset("stdout.encoding"));
        err = new QueuedOutput(realErr, QUEUE_BYTES, CommandOutput::suppressedText, "relay-stderr");
    }

    /** Replaces the process's standard streams, which the log uses too, by queues. */
    static CommandOutput install() {
        CommandOutput output =
                new CommandOutput(new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err));
        System.setOut(output.lines);
        System.setErr(new PrintStream(output.err, true, charset("stderr.encoding")));
        return output;
    }

    /** The charset that the JVM would have used: newer JVMs have a property for it if it is not the platform's. */
    private static Charset charset(String property) {
        return Charset.forName(System.getProperty(property, System.getProperty("native.encoding", "UTF-8")));
    }

    /** Writes all that is said as JSON on standard output from now on, the log too. */
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

    /** Waits until standard output is written, for at most {@code millis} ms; returns whether it is. */
    boolean finish(long millis) {
        return out.finish(millis);
    }

    /** Waits at the end until both streams are written, for at most 500 ms each. */
    void finish() {
        out.finish(FINISH_MILLIS);
        err.finish(FINISH_MILLIS);
    }
}
