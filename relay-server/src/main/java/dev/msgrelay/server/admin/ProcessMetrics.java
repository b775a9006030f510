package dev.msgrelay.server.admin;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The process's processor time, files and memory, by the names that Prometheus' own clients use. What a system does not
 * tell is left out.
 */
final class ProcessMetrics {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");

    private ProcessMetrics() {}

    static void addTo(Metrics metrics) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            metrics.counter(
                    "process_cpu_seconds",
                    "seconds: processor time of the process",
                    system.getProcessCpuTime() * Metrics.NANOS);
            metrics.gauge("process_open_fds", "descriptors: open in the process", system.getOpenFileDescriptorCount());
            metrics.gauge("process_max_fds", "descriptors: limit of the process", system.getMaxFileDescriptorCount());
        }
        metrics.gauge(
                "process_start_time_seconds",
                "seconds: since 1970, when the process started",
                ManagementFactory.getRuntimeMXBean().getStartTime() * Metrics.MILLIS);
        long resident = residentBytes();
        if (resident > 0) {
            metrics.gauge("process_resident_memory_bytes", "bytes: of the process in memory", resident);
        }
        Map<String, MemoryUsage> areas = Map.of(
                "heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage(),
                "nonheap", ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage());
        memory(metrics, areas, "used", "bytes: of the JVM's memory in use, by area", MemoryUsage::getUsed);
        memory(
                metrics,
                areas,
                "committed",
                "bytes: of the JVM's memory that it has from the system, by area",
                MemoryUsage::getCommitted);
        memory(metrics, areas, "max", "bytes: limit of the JVM's memory, by area; -1: none", MemoryUsage::getMax);
    }

    private static void memory(
            Metrics metrics,
            Map<String, MemoryUsage> areas,
            String which,
            String help,
            ToDoubleFunction<MemoryUsage> value) {
        String name = "jvm_memory_" + which + "_bytes";
        metrics.gauge(name, help, areas.keySet(), "area", area -> area, area -> value.applyAsDouble(areas.get(area)));
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
