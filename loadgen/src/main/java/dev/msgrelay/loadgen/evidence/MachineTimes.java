package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import java.util.Optional;
import java.util.regex.Pattern;

/** The first line of /proc/stat: the times of all cores together since the system's start, in ticks. */
record MachineTimes(int cores, long total, long idle, long softirq, long steal) {
    private static final int IDLE = 4;
    private static final int IO_WAIT = 5;
    private static final int IRQ = 6;
    private static final int SOFTIRQ = 7;
    private static final int STEAL = 8;
    private static final Pattern CLOCK = Pattern.compile("(?m)^cpu MHz\\s*:\\s*(\\d+(?:\\.\\d+)?)\\s*$");

    static Optional<MachineTimes> parse(String stat) {
        String[] fields = stat.lines().findFirst().orElse("").split("\\s+");
        if (!fields[0].equals("cpu") || fields.length <= STEAL) {
            return Optional.empty();
        }
        int cores = (int) stat.lines().filter(line -> line.matches("cpu\\d.*")).count();
        try {
            long total = 0;
            // The fields after steal are the time of guest machines, which user time already includes.
            for (int i = 1; i <= STEAL; i++) {
                total += Long.parseLong(fields[i]);
            }
            return Optional.of(new MachineTimes(
                    cores,
                    total,
                    Long.parseLong(fields[IDLE]) + Long.parseLong(fields[IO_WAIT]),
                    Long.parseLong(fields[IRQ]) + Long.parseLong(fields[SOFTIRQ]),
                    Long.parseLong(fields[STEAL])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns the shares of the time since {@code before}; {@link MachineShare#UNSEEN} if no tick has passed. */
    MachineShare since(MachineTimes before, double ownCores, double otherCores, String busiest, double clock) {
        double ticks = total - before.total;
        if (ticks <= 0) {
            return MachineShare.UNSEEN;
        }
        // The kernel's idle time sometimes decreases by a tick.
        double idleShare = Math.max(0, (idle - before.idle) / ticks);
        double softirqShare = (softirq - before.softirq) / ticks;
        double stealShare = (steal - before.steal) / ticks;
        double own = Math.min(1, ownCores / Math.max(1, cores));
        double rest = Math.max(0, 1 - idleShare - softirqShare - stealShare - own);
        double seen = Math.min(1, otherCores / Math.max(1, cores));
        return new MachineShare(cores, idleShare, softirqShare, stealShare, own, Math.max(rest, seen), busiest, clock);
    }

    static double clock(String cpuinfo) {
        return CLOCK.matcher(cpuinfo)
                .results()
                .mapToDouble(match -> Double.parseDouble(match.group(1)))
                .average()
                .orElse(Double.NaN);
    }
}
