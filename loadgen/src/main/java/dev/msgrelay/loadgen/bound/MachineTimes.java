package dev.msgrelay.loadgen.bound;

import java.util.Optional;

/**
 * The first line of /proc/stat: what all cores together have done since the start, in ticks.
 *
 * @param cores lines of single cores
 */
record MachineTimes(int cores, long total, long idle, long softirq, long steal) {
    private static final int IDLE = 4;
    private static final int IO_WAIT = 5;
    private static final int SOFTIRQ = 7;
    private static final int STEAL = 8;

    /** Empty where it is no such text. */
    static Optional<MachineTimes> parse(String stat) {
        String[] fields = stat.lines().findFirst().orElse("").split("\\s+");
        if (!fields[0].equals("cpu") || fields.length <= STEAL) {
            return Optional.empty();
        }
        int cores = (int) stat.lines().filter(line -> line.matches("cpu\\d.*")).count();
        try {
            long total = 0;
            // What follows, the time of guests, is part of the user time already.
            for (int i = 1; i <= STEAL; i++) {
                total += Long.parseLong(fields[i]);
            }
            return Optional.of(new MachineTimes(
                    cores,
                    total,
                    Long.parseLong(fields[IDLE]) + Long.parseLong(fields[IO_WAIT]),
                    Long.parseLong(fields[SOFTIRQ]),
                    Long.parseLong(fields[STEAL])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /**
     * What happened from {@code before} until now, or null where no tick has passed.
     *
     * @param ownCores how many cores the run's own processes used, on average
     */
    MachineShare since(MachineTimes before, double ownCores) {
        double ticks = total - before.total;
        if (ticks <= 0) {
            return null;
        }
        return new MachineShare(
                cores,
                // Idle time has been seen to go back a tick.
                Math.max(0, (idle - before.idle) / ticks),
                (softirq - before.softirq) / ticks,
                (steal - before.steal) / ticks,
                Math.min(1, ownCores / Math.max(1, cores)));
    }
}
