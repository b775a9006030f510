package dev.msgrelay.loadgen.host;

import java.time.Duration;

/** The system's figures of a process: from /proc on Linux, from the JDK elsewhere. */
public final class ProcessFigures {
    /** A value that this system does not tell. */
    public static final long UNKNOWN = -1;

    private ProcessFigures() {}

    /** CPU time of the whole process since its start, in steps of 10 ms; {@link #UNKNOWN} when it is gone. */
    public static long cpuNanos(long pid) {
        ProcessTimes times =
                ProcessTimes.parse(SystemTree.proc().text(pid + "/stat").orElse(""));
        return times != null
                ? times.nanos()
                : ProcessHandle.of(pid)
                        .flatMap(handle -> handle.info().totalCpuDuration())
                        .map(Duration::toNanos)
                        .orElse(UNKNOWN);
    }

    /** The most memory that was resident at one time, in bytes; {@link #UNKNOWN} where the system does not tell. */
    public static long peakResidentBytes(long pid) {
        return SystemTree.proc()
                .field(pid + "/status", "VmHWM")
                .map(kibibytes -> Long.parseLong(kibibytes.replaceAll("\\D", "")) << 10)
                .orElse(UNKNOWN);
    }
}
