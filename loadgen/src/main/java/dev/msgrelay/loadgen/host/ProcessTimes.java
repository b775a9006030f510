package dev.msgrelay.loadgen.host;

import java.util.concurrent.TimeUnit;

/**
 * A line of /proc/PID/stat, or of /proc/PID/task/TID/stat.
 *
 * @param nanos CPU time since the start in steps of 10 ms; of a process: that of threads that have ended too
 * @param kernelNanos the part of it within the kernel
 */
public record ProcessTimes(String name, String parent, long nanos, long kernelNanos) {
    /** USER_HZ is 100 on every Linux that runs a JDK. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Fields behind the closing parenthesis of the name: parent, user time, then system time. */
    private static final int PARENT = 1;

    private static final int USER_TIME = 11;

    /** Null where it is no such text. */
    public static ProcessTimes parse(String stat) {
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')');
        if (open < 0 || close < open) {
            return null;
        }
        String[] fields = stat.substring(close + 1).strip().split(" ");
        if (fields.length <= USER_TIME + 1) {
            return null;
        }
        try {
            long kernel = Long.parseLong(fields[USER_TIME + 1]);
            long ticks = Long.parseLong(fields[USER_TIME]) + kernel;
            return new ProcessTimes(
                    stat.substring(open + 1, close), fields[PARENT], ticks * TICK_NANOS, kernel * TICK_NANOS);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
