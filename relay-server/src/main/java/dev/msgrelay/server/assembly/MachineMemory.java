package dev.msgrelay.server.assembly;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.MemoryLimit;
import dev.msgrelay.server.host.SystemTree;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/**
 * The memory that the system allows the process: a control group's limit, or the size of the machine. A process beyond
 * it is killed, and can say nothing any more. So the relay compares its sum with the limit when it starts. Immutable.
 *
 * @param limit empty: there is none, or it is not known
 * @param heapAtStart bytes of the JVM's heap that are soon touched
 * @param heapAtMost bytes of the JVM's largest heap
 */
public record MachineMemory(Optional<MemoryLimit> limit, long heapAtStart, long heapAtMost) {
    /**
     * What the JVM takes beside heap and direct memory for a relay without clients: code, threads, tables. Measured: 55
     * MiB with the defaults, 58 with a journal and the admin port.
     */
    private static final long JVM_AT_REST = 60 << 20;

    /** The same for a relay under load. Measured: 83 MiB. */
    private static final long JVM_AT_MOST = 100 << 20;

    private static final String RAISE = "Raise the limit (MemoryMax= of systemd, --memory of docker, resources of"
            + " Kubernetes), or choose smaller sizes";

    /** Of this process and its JVM. */
    public static MachineMemory here(SystemTree tree) {
        return new MachineMemory(MemoryLimit.lowest(tree), firstHeap(), largestHeap());
    }

    /**
     * How much of the heap is surely touched: all of the first one if the JVM does so when it starts, otherwise the
     * young generation, which is filled before anything is collected, and the objects that stay.
     */
    private static long firstHeap() {
        long first = Math.max(
                0, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getInit());
        boolean touched = Boolean.parseBoolean(option("AlwaysPreTouch").orElse("false"));
        return touched
                ? first
                : Math.min(first, option("NewSize").map(Long::parseLong).orElse(0L) + MemoryPlan.HEAP_BASE);
    }

    /** The JVM's -Xmx; Runtime's figure leaves out a survivor space. */
    private static long largestHeap() {
        return option("MaxHeapSize").map(Long::parseLong).orElseGet(() -> Runtime.getRuntime()
                .maxMemory());
    }

    /** The value of an option of the JVM; empty: it is another JVM. */
    private static Optional<String> option(String name) {
        try {
            HotSpotDiagnosticMXBean hotSpot = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return Optional.of(hotSpot.getVMOption(name).getValue());
        } catch (RuntimeException anotherJvm) {
            return Optional.empty();
        }
    }

    /** Whether a relay with this configuration can be there at all. */
    public boolean holds(RelayConfig config) {
        return limit.isEmpty() || atRest(config).bytes() <= limit.get().bytes();
    }

    /**
     * Compares the relay's sum with the limit.
     *
     * @return a warning that the limit is below what the relay may take; null: it is not
     * @throws IOException the limit is below what the relay takes at once; the message names sum, limit and its place
     */
    public String check(RelayConfig config) throws IOException {
        if (limit.isEmpty()) {
            return null;
        }
        Sum most = atMost(config);
        String allowed = ", and the limit is " + (limit.get().bytes() >> 20) + " MiB ("
                + limit.get().where() + "): ";
        if (!holds(config)) {
            throw new IOException("the relay takes " + atRest(config).text() + " when it starts, may take "
                    + most.text() + allowed + "the system would kill it without a word. " + RAISE);
        }
        return most.bytes() <= limit.get().bytes()
                ? null
                : "the relay may take " + most.text() + allowed + "beyond it the system kills the relay without a"
                        + " word. " + RAISE;
    }

    private Sum atRest(RelayConfig config) {
        return Sum.of(heapAtStart, MemoryPlan.of(config).directAtStart(), JVM_AT_REST, 0);
    }

    private Sum atMost(RelayConfig config) {
        return Sum.of(
                heapAtMost,
                MemoryPlan.of(config).direct(),
                JVM_AT_MOST,
                config.cluster().on() ? ClusterConfig.SHARED_BYTES : 0);
    }

    /** A sum of whole mebibytes, so that its text adds up. */
    private record Sum(long heap, long direct, long jvm, long shared) {
        static Sum of(long heapBytes, long directBytes, long jvmBytes, long sharedBytes) {
            return new Sum(
                    MemoryPlan.mebibytes(heapBytes),
                    MemoryPlan.mebibytes(directBytes),
                    MemoryPlan.mebibytes(jvmBytes),
                    MemoryPlan.mebibytes(sharedBytes));
        }

        private long mebibytes() {
            return heap + direct + jvm + shared;
        }

        long bytes() {
            return mebibytes() << 20;
        }

        String text() {
            return mebibytes() + " MiB of memory (" + heap + " of Java heap, " + direct + " of direct memory, "
                    + (shared > 0 ? shared + " of shared memory, " : "") + jvm + " of the JVM itself)";
        }
    }
}
