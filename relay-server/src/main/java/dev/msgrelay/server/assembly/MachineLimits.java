package dev.msgrelay.server.assembly;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.FleetingFiles;
import dev.msgrelay.server.host.MemoryLimit;
import dev.msgrelay.server.host.SystemTree;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The system's limits for this process. A relay's needs are compared with the limits before its start takes memory,
 * because the system kills a process beyond its memory limit without a message. Immutable.
 *
 * @param memory limit of a control group, or the size of the machine, if known
 * @param heapAtStart bytes of the JVM's heap that are touched soon after its start
 * @param heapAtMost bytes of the JVM's heap at its largest size
 */
public record MachineLimits(Optional<MemoryLimit> memory, long heapAtStart, long heapAtMost) {
    /**
     * Memory of the JVM beside heap and direct memory, for a relay without clients: code, threads, tables. Measured: 55
     * MiB with the defaults, 58 with a journal and the admin port.
     */
    private static final long JVM_AT_REST = 60 << 20;

    /** The same memory for a relay under load. Measured: 83 MiB. */
    private static final long JVM_AT_MOST = 100 << 20;

    /** Open files that are not connections: those of the JVM, loops, ports, the admin port, journal and cluster. */
    private static final int OTHER_FILES = 64;

    private static final String RAISE = "Raise the limit (MemoryMax= of systemd, --memory of docker, resources of"
            + " Kubernetes), or choose smaller sizes";

    /** The limits of this process, with the heap of its JVM. */
    public static MachineLimits here(SystemTree system) {
        return new MachineLimits(MemoryLimit.lowest(system), firstHeap(), largestHeap());
    }

    /**
     * The part of the initial heap that is soon touched: all of it if the JVM touches the whole heap when it starts,
     * else the young generation, which is filled before the first collection, and the objects that stay.
     */
    private static long firstHeap() {
        long first = Math.max(
                0, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getInit());
        boolean touched = Boolean.parseBoolean(option("AlwaysPreTouch").orElse("false"));
        return touched
                ? first
                : Math.min(first, option("NewSize").map(Long::parseLong).orElse(0L) + MemoryPlan.HEAP_BASE);
    }

    /** The JVM's -Xmx. Runtime.maxMemory is smaller, since it leaves out a survivor space. */
    private static long largestHeap() {
        return option("MaxHeapSize").map(Long::parseLong).orElseGet(() -> Runtime.getRuntime()
                .maxMemory());
    }

    /** The value of an option of the JVM; empty if the JVM is not HotSpot. */
    private static Optional<String> option(String name) {
        try {
            HotSpotDiagnosticMXBean hotSpot = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return Optional.of(hotSpot.getVMOption(name).getValue());
        } catch (RuntimeException anotherJvm) {
            return Optional.empty();
        }
    }

    /** Whether the memory is enough for a relay with this configuration and no clients. */
    public boolean holds(RelayConfig config) {
        return memory.isEmpty() || atRest(config).bytes() <= memory.get().bytes();
    }

    /**
     * Compares the limits with a configuration.
     *
     * @return warnings of limits that a relay may reach; a line each
     * @throws IOException the relay cannot work within a limit; the message names the limit and the need
     */
    public static List<String> check(RelayConfig config, SystemTree system) throws IOException {
        List<String> warnings = new ArrayList<>();
        here(system).checkMemory(config, warnings::add);
        checkFileSize(config, system.processLimit("Max file size"));
        // The JVM has raised this limit as far as the system allows.
        checkOpenFiles(config, system.processLimit("Max open files"), warnings::add);
        if (config.journal().on()) {
            Path directory = config.journal().directory();
            FleetingFiles.why(system, directory).ifPresent(why -> warnings.add("journal " + directory + " is " + why));
        }
        return warnings;
    }

    void checkMemory(RelayConfig config, Consumer<String> warn) throws IOException {
        if (memory.isEmpty()) {
            return;
        }
        Sum most = atMost(config);
        String allowed = ", and the limit is " + (memory.get().bytes() >> 20) + " MiB ("
                + memory.get().where() + "): ";
        if (!holds(config)) {
            throw new IOException("the relay takes " + atRest(config).text() + " when it starts, may take "
                    + most.text() + allowed + "the system would kill it without a word. " + RAISE);
        }
        if (most.bytes() > memory.get().bytes()) {
            warn.accept("the relay may take " + most.text() + allowed + "beyond it the system kills the relay without a"
                    + " word. " + RAISE);
        }
    }

    private static void checkOpenFiles(RelayConfig config, OptionalLong limit, Consumer<String> warn) {
        int connections = config.clients().maxConnections();
        long needed = (long) connections + OTHER_FILES;
        if (limit.isPresent() && limit.getAsLong() < needed) {
            warn.accept("ulimit -n is " + limit.getAsLong() + ", and " + connections
                    + " connections (--max-connections) may need " + needed
                    + ": those beyond wait until others have gone. Raise it (ulimit -Hn, LimitNOFILE= of systemd,"
                    + " --ulimit nofile= of docker), or lower --max-connections");
        }
    }

    private static void checkFileSize(RelayConfig config, OptionalLong limit) throws IOException {
        if (limit.isEmpty()) {
            return;
        }
        String allowed = "ulimit -f (RLIMIT_FSIZE) is " + limit.getAsLong() + " bytes, and ";
        String raise = ". Raise it (ulimit -f unlimited, LimitFSIZE= of systemd, --ulimit fsize= of docker)";
        long segment = config.journal().segmentBytes();
        if (config.journal().on() && segment > limit.getAsLong()) {
            throw new IOException(allowed + "a segment of the journal is a file of " + segment
                    + " bytes (--journal-segment)" + raise + ", or choose shorter segments");
        }
        if (config.cluster().on() && ClusterConfig.FILE_BYTES > limit.getAsLong()) {
            throw new IOException(
                    allowed + "a cluster's log has files of " + ClusterConfig.FILE_BYTES + " bytes" + raise);
        }
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

    /** A sum of whole mebibytes, so that the numbers in its text add up. */
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
