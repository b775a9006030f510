package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/** The memory that this process has taken since before the relay was started: direct, all the time; heap, when asked. */
final class MemoryWatch implements AutoCloseable {
    /** The JDK's own buffers of the test's threads, and what a relay takes beside its budget, a few KiB a connection. */
    private static final long OTHER_DIRECT = 24 << 20;
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
        System.out.printf("direct memory: %,d bytes at most, the budget is %,d%n", peak, budget);
        assertThat(peak).as("direct memory at its peak").isLessThanOrEqualTo(budget + OTHER_DIRECT);
    }

    /** Fails if clients make the relay keep more of the heap than they may. */
    void assertHeapWithinBudget(TestRelay relay) {
        long taken = heap() - heapBefore;
        long budget = relay.relay().config().limits().controlBytes();
        System.out.printf("heap: %,d bytes, the budget for clients is %,d%n", taken, budget);
        assertThat(taken).as("heap that is kept").isLessThanOrEqualTo(budget + OTHER_HEAP);
    }

    private static long direct() {
        // Buffers with a cleaner are counted by the JDK, others by Netty alone.
        long bytes = PlatformDependent.useDirectBufferNoCleaner() ? PlatformDependent.usedDirectMemory() : 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            bytes += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
        }
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
