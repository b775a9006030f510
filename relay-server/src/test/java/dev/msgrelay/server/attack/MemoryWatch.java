package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * The memory that this process has taken since before the relay was started: direct, all the time; heap, when asked.
 */
final class MemoryWatch implements AutoCloseable {
    /**
     * What Netty's selectors keep for themselves: lists of events and of pieces to be written, for each loop. Clients
     * of the test have the JDK's sockets, whose buffers Netty does not count.
     */
    private static final long SELECTORS = 1 << 20;
    /** Sessions and the test's own objects for thousands of connections. */
    private static final long OTHER_HEAP = 64 << 20;

    private static final long LOOK_NANOS = 2_000_000;

    private final long directBefore = direct();
    private final long heapBefore = heap();
    private volatile long peak;
    private volatile boolean stopped;

    MemoryWatch() {
        new Workers().start("memory-watch", () -> {
            while (!stopped) {
                peak = Math.max(peak, direct() - directBefore);
                LockSupport.parkNanos(LOOK_NANOS);
            }
        });
    }

    /** Fails if there was a time when the relay had taken more direct memory than it may. */
    void assertWithinBudget(TestRelay relay) {
        long budget = relay.relay().memory().direct();
        System.out.printf(Locale.ROOT, "direct memory: %,d bytes at most, the budget is %,d%n", peak, budget);
        assertThat(peak).as("direct memory at its peak").isLessThanOrEqualTo(budget + SELECTORS);
    }

    /** Fails if clients make the relay keep more of the heap than they may. */
    void assertHeapWithinBudget(TestRelay relay) {
        long taken = heap() - heapBefore;
        long budget = relay.relay().config().limits().controlBytes();
        System.out.printf(Locale.ROOT, "heap: %,d bytes, the budget for clients is %,d%n", taken, budget);
        assertThat(taken).as("heap that is kept").isLessThanOrEqualTo(budget + OTHER_HEAP);
    }

    private static long direct() {
        long bytes = PlatformDependent.usedDirectMemory();
        assertThat(bytes).as("Netty's count of direct memory").isNotNegative();
        return bytes;
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Override
    public void close() {
        stopped = true;
    }
}
