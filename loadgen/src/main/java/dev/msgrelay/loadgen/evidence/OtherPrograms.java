package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.loadgen.host.ProcessTimes;
import dev.msgrelay.server.host.SystemTree;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Measures the CPU time of all processes that are not part of the run. Only the sampling thread uses this class. */
final class OtherPrograms {
    /** Process id of the parent of all kernel threads, whose work belongs to no program. */
    private static final String KERNEL = "2";

    /** A program is named if it used at least this part of a core. */
    private static final double WORTH_NAMING = 0.05;

    private final SystemTree source;
    private final Set<String> own = new HashSet<>();
    private final Map<String, Long> before = new HashMap<>();
    private double cores;
    private String busiest = "";

    OtherPrograms(SystemTree source, Watched watched) {
        this.source = source;
        own.add(Long.toString(ProcessHandle.current().pid()));
        watched.processes().forEach(process -> own.add(Long.toString(process.pid())));
    }

    void first() {
        for (String pid : source.names("")) {
            times(pid).ifPresent(times -> before.put(pid, times.nanos()));
        }
    }

    /** Sums up the CPU time since {@link #first}. A process that started later counts from its start. */
    void last(long nanos) {
        long sum = 0;
        long most = 0;
        for (String pid : source.names("")) {
            Optional<ProcessTimes> times = times(pid);
            long used =
                    times.map(ProcessTimes::nanos).orElse(0L) - (times.isEmpty() ? 0 : before.getOrDefault(pid, 0L));
            sum += used;
            if (used > most) {
                most = used;
                busiest = times.get().name() + " (pid " + pid + ")";
            }
        }
        cores = nanos <= 0 ? 0 : sum / (double) nanos;
        busiest = most < WORTH_NAMING * nanos ? "" : busiest;
    }

    private Optional<ProcessTimes> times(String pid) {
        if (own.contains(pid) || pid.isEmpty() || !Character.isDigit(pid.charAt(0))) {
            return Optional.empty();
        }
        return ProcessTimes.parse(source.text(pid + "/stat").orElse(""))
                .filter(times -> !times.parent().equals(KERNEL));
    }

    double cores() {
        return cores;
    }

    String busiest() {
        return busiest;
    }
}
