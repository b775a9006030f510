package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.loadgen.host.ProcessTimes;
import dev.msgrelay.server.host.SystemTree;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The CPU time of every process that is no part of the run, between two looks. The sampler's thread owns it. */
final class OtherPrograms {
    /** The kernel's own threads are children of this process; what they do, they do for everybody. */
    private static final String KERNEL = "2";

    /** Part of one core. */
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
            ProcessTimes times = times(pid);
            if (times != null) {
                before.put(pid, times.nanos());
            }
        }
    }

    /** A process that began after the first look began at nothing. */
    void last(long nanos) {
        long sum = 0;
        long most = 0;
        for (String pid : source.names("")) {
            ProcessTimes times = times(pid);
            long used = times == null ? 0 : times.nanos() - before.getOrDefault(pid, 0L);
            sum += used;
            if (used > most) {
                most = used;
                busiest = times.name() + " (pid " + pid + ")";
            }
        }
        cores = nanos <= 0 ? 0 : sum / (double) nanos;
        busiest = most < WORTH_NAMING * nanos ? "" : busiest;
    }

    private ProcessTimes times(String pid) {
        if (own.contains(pid) || pid.isEmpty() || !Character.isDigit(pid.charAt(0))) {
            return null;
        }
        ProcessTimes times = ProcessTimes.parse(source.text(pid + "/stat").orElse(""));
        return times == null || times.parent().equals(KERNEL) ? null : times;
    }

    double cores() {
        return cores;
    }

    String busiest() {
        return busiest;
    }
}
