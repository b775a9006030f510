package dev.msgrelay.server.net;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A warning that may be due very often: at most one line a second, which tells the number of warnings left out. Any
 * thread.
 */
public final class RepeatedWarning {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long lastNanos;
    private boolean said;
    private long left;

    public void warn(long nowNanos, String text) {
        line(nowNanos, text).ifPresent(line -> LOG.warn("{}", line));
    }

    /** The line to log now, if one is due. */
    synchronized Optional<String> line(long nowNanos, String text) {
        if (said && nowNanos - lastNanos < SECOND_NANOS) {
            left++;
            return Optional.empty();
        }
        said = true;
        lastNanos = nowNanos;
        String more = left == 0 ? "" : " (" + left + " more since the last such line)";
        left = 0;
        return Optional.of(text + more);
    }
}
