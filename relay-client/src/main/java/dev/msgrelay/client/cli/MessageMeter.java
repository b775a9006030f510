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
    private long lastSequence;
    private long startedAt;
    private long lastAt;
    private long reportedAt;
    private long reportedMessages;
    private long reportedBytes;

    /**
     * @param printer takes each message that is counted
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
            startedAt = reportedAt = lastAt = System.nanoTime();
        }
        int length = FrameLayout.frameLength(body.remaining());
        // What it throws at has not come: a later run has to get it.
        printer.onMessage(sequence, type, body);
        messages++;
        lastSequence = sequence;
        bytes += length;
        if (messages - reportedMessages == interval) {
            report();
        }
    }

    /** The messages of a read are counted: the last one came now. */
    void readEnds() {
        lastAt = System.nanoTime();
    }

    /** Sequence of the last message that was taken; 0: unknown. */
    long lastSequence() {
        return lastSequence;
    }

    boolean isDone() {
        return messages == most;
    }

    long messages() {
        return messages;
    }

    /** Prints the sum: as JSON on stdout, otherwise on stderr unless {@code quiet}. */
    void tellSum(PrintWriter err, boolean quiet) {
        Speed sum = new Speed(messages, bytes, lastAt - startedAt);
        if (json && sums) {
            out.println(sum.json("end"));
        }
        out.flush();
        if (!json && !quiet) {
            long bodies = Speed.bodyBytes(bytes, messages);
            // One message takes no time.
            String time = messages < 2 ? "" : ", " + ShortText.grouped(sum.millis()) + " ms from the first to the last";
            err.println("received " + ShortText.groupedOf(messages, "message") + ", "
                    + ShortText.groupedOf(bodies, "byte") + time);
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
