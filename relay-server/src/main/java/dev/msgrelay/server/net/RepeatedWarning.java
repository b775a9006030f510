package dev.msgrelay.server.net;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A warning that may be due very often: one line a second at most, which tells how many there were. Any thread. */
public final class RepeatedWarning {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long lastNanos;
    private boolean said;
    private long left;

    public void warn(long nowNanos, String text) {
        String line = line(nowNanos, text);
        if (line != null) {
            LOG.warn("{}", line);
        }
    }

    /** Returns the line to be logged; null: nothing now. */
    synchronized String line(long nowNanos, String text) {
        if (said && nowNanos - lastNanos < SECOND_NANOS) {
            left++;
            return null;
        }
        said = true;
        lastNanos = nowNanos;
        String more = left == 0 ? "" : " (" + left + " more since the last such line)";
        left = 0;
        return text + more;
    }
}
