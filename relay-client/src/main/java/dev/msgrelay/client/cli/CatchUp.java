package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.text.ShortText;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/**
 * Reports the progress of a subscriber that has started behind the newest message, every two seconds until it has
 * caught up: on stderr, or as JSON among the messages on stdout. Owned by one thread.
 */
final class CatchUp {
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;
    private long first;
    private long firstHead;
    private long beganNanos;
    private long toldNanos;
    private boolean told;

    CatchUp(PrintWriter out, PrintWriter err, boolean json) {
        this.out = out;
        this.err = err;
        this.json = json;
    }

    /**
     * Looks at the progress, and reports it when that is due.
     *
     * @param next sequence of the next message; 0: not known yet
     * @param head newest sequence, from the relay's last PING; 0: not known yet
     */
    void update(long next, long head, long nowNanos) {
        if (next == 0 || head == 0) {
            return;
        }
        if (first == 0) {
            first = next;
            firstHead = head;
            beganNanos = nowNanos;
            toldNanos = nowNanos;
        } else if (next > head) {
            if (told) {
                told = false;
                print(next, head, nowNanos, 0);
            }
        } else if (nowNanos - toldNanos >= EVERY_NANOS) {
            told = true;
            // Messages published meanwhile make the way longer.
            double gain = (next - first) - (head - firstHead);
            double left = (nowNanos - beganNanos) * (double) (head - next + 1) / gain;
            print(next, head, nowNanos, gain <= 0 ? -1 : 1 + (long) (left / TimeUnit.MILLISECONDS.toNanos(1)));
        }
    }

    private void print(long next, long head, long nowNanos, long leftMillis) {
        toldNanos = nowNanos;
        long done = Math.min(next, head + 1) - first;
        long percent = 100 * done / Math.max(1, head + 1 - first);
        if (json) {
            out.println("{\"event\":\"catchUp\",\"next\":" + next + ",\"head\":" + head + ",\"percent\":" + percent
                    + ",\"leftMillis\":" + leftMillis + "}");
            return;
        }
        out.flush();
        String at = "at message " + ShortText.grouped(next - 1);
        String left =
                leftMillis < 0 ? "comes no nearer to the newest" : "about " + ShortText.age(leftMillis) + " to go";
        err.println(
                leftMillis == 0
                        ? "caught up " + at
                        : at + " of " + ShortText.grouped(head) + " (" + percent + " %), " + left);
        err.flush();
    }
}
