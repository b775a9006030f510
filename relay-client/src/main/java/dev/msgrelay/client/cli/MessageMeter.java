package dev.msgrelay.client.cli;

import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.text.ShortText;
import java.io.PrintWriter;
import java.nio.ByteBuffer;

/** Counts and prints messages, and reports their rate. Owned by one thread. */
final class MessageMeter {
    private final PrintWriter out;
    private final MessageHandler printer;
    private final boolean json;
    private final boolean sums;
    private final long most;
    private final long interval;

    private long messages;
    private long bytes;
    private long startedAt;
    private long reportedAt;
    private long reportedMessages;
    private long reportedBytes;

    /**
     * @param printer null: messages are not printed
     * @param sums whether to tell the sum at the end
     * @param most number of messages wanted; further ones are ignored
     * @param interval number of messages from report to report
     */
    MessageMeter(PrintWriter out, MessageHandler printer, boolean json, boolean sums, long most, long interval) {
        this.out = out;
        this.printer = printer;
        this.json = json;
        this.sums = sums;
        this.most = most;
        this.interval = interval;
    }

    /** @param sequence the message's sequence; 0: unknown */
    void onMessage(long sequence, int type, ByteBuffer body) {
        if (messages == most) {
            return;
        }
        if (messages == 0) {
            startedAt = reportedAt = System.nanoTime();
        }
        messages++;
        bytes += FrameLayout.frameLength(body.remaining());
        if (printer != null) {
            printer.onMessage(sequence, type, body);
        }
        if (messages - reportedMessages == interval) {
            report();
        }
    }

    boolean isDone() {
        return messages == most;
    }

    long messages() {
        return messages;
    }

    /** Prints the sum: as JSON on stdout, otherwise on stderr unless {@code quiet}. */
    void tellSum(PrintWriter err, boolean quiet) {
        Speed sum = new Speed(messages, bytes, messages == 0 ? 0 : System.nanoTime() - startedAt);
        if (json && sums) {
            out.println(sum.json("end"));
        }
        out.flush();
        if (!json && !quiet) {
            err.println("received " + ShortText.counted(messages, "message") + ", " + bytes + " bytes in "
                    + sum.millis() + " ms");
            err.flush();
        }
    }

    private void report() {
        long now = System.nanoTime();
        Speed speed = new Speed(messages - reportedMessages, bytes - reportedBytes, now - reportedAt);
        out.println(json ? speed.json("report") : speed.line());
        reportedAt = now;
        reportedMessages = messages;
        reportedBytes = bytes;
    }
}
