package dev.msgrelay.server.admin;

import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The process's processor time, files and memory, by the names that Prometheus' own clients use. What a system does not
 * tell is left out.
 */
final class ProcessMetrics {
    private static final double NANOS = 1e-9;
    private static final double MILLIS = 1e-3;
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");

    private ProcessMetrics() {}

    static void add(MetricSnapshots.Builder all) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            Metrics.add(
                    all,
                    true,
                    "process_cpu_seconds",
                    "seconds: processor time of the process",
                    system.getProcessCpuTime() * NANOS);
            Metrics.add(
                    all,
                    false,
                    "process_open_fds",
                    "descriptors: open in the process",
                    system.getOpenFileDescriptorCount());
            Metrics.add(
                    all,
                    false,
                    "process_max_fds",
                    "descriptors: limit of the process",
                    system.getMaxFileDescriptorCount());
        }
        Metrics.add(
                all,
                false,
                "process_start_time_seconds",
                "seconds: since 1970, when the process started",
                ManagementFactory.getRuntimeMXBean().getStartTime() * MILLIS);
        long resident = residentBytes();
        if (resident > 0) {
            Metrics.add(all, false, "process_resident_memory_bytes", "bytes: of the process in memory", resident);
        }
        memory(all, "jvm_memory_used_bytes", "bytes: of the JVM's memory in use, by area", MemoryUsage::getUsed);
        memory(
                all,
                "jvm_memory_committed_bytes",
                "bytes: of the JVM's memory that it has from the system, by area",
                MemoryUsage::getCommitted);
        memory(all, "jvm_memory_max_bytes", "bytes: limit of the JVM's memory, by area; -1: none", MemoryUsage::getMax);
    }

    private static void memory(
            MetricSnapshots.Builder all, String name, String help, ToLongFunction<MemoryUsage> value) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        all.metricSnapshot(GaugeSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(point("heap", value.applyAsLong(memory.getHeapMemoryUsage())))
                .dataPoint(point("nonheap", value.applyAsLong(memory.getNonHeapMemoryUsage())))
                .build());
    }

    private static GaugeDataPointSnapshot point(String area, long value) {
        return GaugeDataPointSnapshot.builder()
                .labels(Labels.of("area", area))
                .value(value)
                .build();
    }

    /** Resident memory of the process; 0: the system does not tell. */
    private static long residentBytes() {
        try {
            Matcher resident = RESIDENT.matcher(Files.readString(STATUS));
            return resident.find() ? Long.parseLong(resident.group(1)) << 10 : 0;
        } catch (IOException notLinux) {
            return 0;
        }
    }
}
