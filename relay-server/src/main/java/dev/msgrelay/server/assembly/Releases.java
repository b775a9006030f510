package dev.msgrelay.server.assembly;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a start has taken, or an end has to release: {@link #close} releases all in reverse order, even if one of them
 * throws. One thread.
 */
public final class Releases implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final ArrayDeque<AutoCloseable> stack = new ArrayDeque<>();

    /** Adds the release of a resource; null: there is no such resource. */
    public void add(AutoCloseable release) {
        if (release != null) {
            stack.push(release);
        }
    }

    /** Hands all resources over to another owner: {@link #close} releases nothing any more. */
    public void handOver() {
        stack.clear();
    }

    /** Releases all resources, once. */
    @Override
    public void close() {
        while (!stack.isEmpty()) {
            try {
                stack.pop().close();
            } catch (Throwable e) {
                LOG.warn("a resource cannot be released: {}", e.toString());
            }
        }
    }
}
