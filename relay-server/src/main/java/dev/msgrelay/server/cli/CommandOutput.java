package dev.msgrelay.server.cli;

import dev.msgrelay.server.admin.JsonLine;
import dev.msgrelay.server.ops.QueuedOutput;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * Where the command prints. Nobody waits for whoever reads it: a relay whose output is a full pipe relays on. The library
 * leaves {@code System.out} and {@code System.err} alone.
 */
final class CommandOutput {
    /** Of each of the two: a few thousand lines. */
    private static final int QUEUE_BYTES = 256 << 10;

    /** Of each of the two, at the end. */
    private static final long FINISH_MILLIS = 500;

    private final QueuedOutput out;
    private final QueuedOutput err;
    private volatile boolean json;

    CommandOutput(OutputStream realOut, OutputStream realErr) {
        out = new QueuedOutput(realOut, QUEUE_BYTES, this::suppressed, "relay-stdout");
        err = new QueuedOutput(realErr, QUEUE_BYTES, CommandOutput::suppressedText, "relay-stderr");
    }

    /** Has the process's standard streams, the log's too, go through queues from now on. */
    static CommandOutput install() {
        CommandOutput output =
                new CommandOutput(new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err));
        System.setOut(new PrintStream(output.out, true, charset("stdout.encoding")));
        System.setErr(new PrintStream(output.err, true, charset("stderr.encoding")));
        return output;
    }

    /** What the JVM would have used: newer ones tell it, if it is another one than the platform's. */
    private static Charset charset(String property) {
        return Charset.forName(System.getProperty(property, System.getProperty("native.encoding", "UTF-8")));
    }

    /** What is missing in standard output is told as JSON, as all of it is. */
    void speakJson() {
        json = true;
    }

    private String suppressed(long lines) {
        return json ? JsonLine.event("suppressed").number("lines", lines).end() : suppressedText(lines);
    }

    private static String suppressedText(long lines) {
        return lines + (lines == 1 ? " line suppressed: nobody read it" : " lines suppressed: nobody read them");
    }

    /** Waits until what has been printed on standard output is out, or the time is over; answers whether it is. */
    boolean finish(long millis) {
        return out.finish(millis);
    }

    /** The end: what has been printed on both goes out, if somebody reads it. */
    void finish() {
        out.finish(FINISH_MILLIS);
        err.finish(FINISH_MILLIS);
    }
}
