package dev.msgrelay.loadgen.host;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The content of /proc/PID/stat, or of /proc/PID/task/TID/stat.
 *
 * @param nanos CPU time since the start, in steps of 10 ms; that of a process includes threads that have ended
 */
public record ProcessTimes(String name, String parent, long nanos, long kernelNanos) {
    /** The kernel's unit of CPU time: USER_HZ is 100 on every Linux that runs a JDK. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Indexes of fields, counted after the name's closing parenthesis. The system time follows the user time. */
    private static final int PARENT = 1;

    private static final int USER_TIME = 11;

    public static Optional<ProcessTimes> parse(String stat) {
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')');
        String[] fields = stat.substring(close + 1).strip().split(" ");
        if (open < 0 || close < open || fields.length <= USER_TIME + 1) {
            return Optional.empty();
        }
        try {
            long kernel = Long.parseLong(fields[USER_TIME + 1]);
            long ticks = Long.parseLong(fields[USER_TIME]) + kernel;
            return Optional.of(new ProcessTimes(
                    stat.substring(open + 1, close), fields[PARENT], ticks * TICK_NANOS, kernel * TICK_NANOS));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
