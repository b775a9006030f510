package dev.msgrelay.server;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A stack of what was taken: all of it is given back in reverse order, whatever one of them throws. One thread. */
final class Startup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final ArrayDeque<AutoCloseable> taken = new ArrayDeque<>();

    /** Something was taken: this gives it back. Null: nothing was taken. */
    void taken(AutoCloseable back) {
        if (back != null) {
            taken.push(back);
        }
    }

    /** What was taken so far has another owner from now on. */
    void handOver() {
        taken.clear();
    }

    /** Gives everything back, once. */
    @Override
    public void close() {
        while (!taken.isEmpty()) {
            try {
                taken.pop().close();
            } catch (Throwable e) {
                LOG.warn("something cannot be given back: {}", e.toString());
            }
        }
    }
}
