package dev.msgrelay.loadgen.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What the system knows about a process: from /proc on Linux, from the JDK elsewhere. */
public final class ProcessFigures {
    /** A value that this system does not tell. */
    public static final long UNKNOWN = -1;

    /** USER_HZ, the unit of /proc/PID/stat, is 100 on every Linux that runs a JDK. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Fields of /proc/PID/stat behind the command's closing parenthesis: user time, then system time. */
    private static final int USER_TIME = 11;

    private ProcessFigures() {}

    /** CPU time of the whole process since its start, in steps of 10 ms; {@link #UNKNOWN} when it is gone. */
    public static long cpuNanos(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[USER_TIME + 1])) * TICK_NANOS;
        } catch (IOException e) {
            return ProcessHandle.of(pid)
                    .flatMap(handle -> handle.info().totalCpuDuration())
                    .map(Duration::toNanos)
                    .orElse(UNKNOWN);
        }
    }

    /** The most memory that was resident at one time, in bytes; {@link #UNKNOWN} where the system does not tell. */
    public static long peakResidentBytes(long pid) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
        } catch (IOException e) {
            // told as unknown
        }
        return UNKNOWN;
    }
}
