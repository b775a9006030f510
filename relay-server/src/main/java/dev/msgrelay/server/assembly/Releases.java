package dev.msgrelay.server.assembly;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Resources that {@link #close} releases, the last added one first, even if a release throws. One thread. */
public final class Releases implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final ArrayDeque<AutoCloseable> stack = new ArrayDeque<>();

    public void add(AutoCloseable release) {
        stack.push(release);
    }

    /** Leaves all resources to another owner: {@link #close} releases nothing any more. */
    public void handOver() {
        stack.clear();
    }

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
