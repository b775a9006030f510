package dev.msgrelay.server.figures;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits a warning that may come very often to one line for each interval. Each line reports how many warnings were
 * left out since the previous line. Any thread.
 */
public final class RepeatedWarning {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final long intervalNanos;
    private final Consumer<String> lines;
    private long lastNanos;
    private boolean said;
    private long left;

    public RepeatedWarning(Duration interval) {
        this(interval, line -> LOG.warn("{}", line));
    }

    /** @param lines takes each line */
    public RepeatedWarning(Duration interval, Consumer<String> lines) {
        this.intervalNanos = interval.toNanos();
        this.lines = lines;
    }

    public void warn(long nowNanos, String text) {
        warn(nowNanos, () -> text);
    }

    /** @param text called only for a warning that is not left out */
    public void warn(long nowNanos, Supplier<String> text) {
        line(nowNanos, text).ifPresent(lines);
    }

    synchronized Optional<String> line(long nowNanos, Supplier<String> text) {
        if (said && nowNanos - lastNanos < intervalNanos) {
            left++;
            return Optional.empty();
        }
        said = true;
        lastNanos = nowNanos;
        String more = left == 0 ? "" : " (" + left + " more since the last such line)";
        left = 0;
        return Optional.of(text.get() + more);
    }
}
