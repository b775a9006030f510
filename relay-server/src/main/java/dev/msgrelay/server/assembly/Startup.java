package dev.msgrelay.server.assembly;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stack of things taken during a start: {@link #close} gives all back in reverse order, even if one of them throws.
 * One thread.
 */
public final class Startup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final ArrayDeque<AutoCloseable> taken = new ArrayDeque<>();

    /** Adds a thing that was taken; {@code back} gives it back. Null: nothing was taken. */
    public void taken(AutoCloseable back) {
        if (back != null) {
            taken.push(back);
        }
    }

    /** Hands all things over to another owner: {@link #close} gives nothing back any more. */
    public void handOver() {
        taken.clear();
    }

    /** Gives all things back, once. */
    @Override
    public void close() {
        while (!taken.isEmpty()) {
            try {
                taken.pop().close();
            } catch (Throwable e) {
                LOG.warn("a resource cannot be released: {}", e.toString());
            }
        }
    }
}
