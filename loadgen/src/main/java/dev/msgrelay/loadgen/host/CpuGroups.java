package dev.msgrelay.loadgen.host;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.server.host.ControlGroups;
import dev.msgrelay.server.host.SystemTree;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The cgroups of this process that limit CPU time, for example a container's. All processes of a run are in them.
 * /proc/stat does not show when such a limit stops processes. Immutable.
 */
public record CpuGroups(ControlGroups groups) {
    private static final int NANOS_OF_MICRO = 1_000;

    /**
     * A cgroup's CPU limit, and how often it was reached, since the cgroup was created or within a window.
     *
     * @param cores CPU time allowed in a period, divided by the length of the period
     * @param throttled number of periods in which processes reached the limit and had to wait for the next period
     * @param throttledNanos time for which processes were stopped, summed over all cores
     */
    public record Quota(String group, double cores, long periods, long throttled, long throttledNanos) {
        /** Returns "0.60 cores, reached in 36 of 80 periods: throttled for 1.23 s, over all cores". */
        public String text() {
            return format("%.2f cores, ", cores)
                    + (throttled == 0
                            ? format("not reached in %,d periods", periods)
                            : format(
                                    "reached in %,d of %,d periods: throttled for %.2f s, over all cores",
                                    throttled, periods, throttledNanos / 1e9));
        }

        private Quota since(Quota before) {
            return new Quota(
                    group,
                    cores,
                    Math.max(0, periods - before.periods),
                    Math.max(0, throttled - before.throttled),
                    Math.max(0, throttledNanos - before.throttledNanos));
        }
    }

    public static CpuGroups of(SystemTree tree) {
        return new CpuGroups(ControlGroups.of(tree, "cpu"));
    }

    public List<Quota> quotas() {
        return groups.directories().stream()
                .map(this::quota)
                .flatMap(Optional::stream)
                .toList();
    }

    private Optional<Quota> quota(String directory) {
        SystemTree tree = groups.tree();
        boolean unified = groups.unified();
        try {
            String limit = unified
                    ? tree.text(directory + "/cpu.max").orElse("max")
                    : tree.text(directory + "/cpu.cfs_quota_us").orElse("-1") + " "
                            + tree.text(directory + "/cpu.cfs_period_us").orElse("0");
            String[] fields = limit.split("\\s+");
            if (fields[0].equals("max") || fields.length != 2) {
                return Optional.empty();
            }
            long runs = Long.parseLong(fields[0]);
            long period = Long.parseLong(fields[1]);
            long nanos =
                    unified ? stat(directory, "throttled_usec") * NANOS_OF_MICRO : stat(directory, "throttled_time");
            return runs <= 0 || period <= 0
                    ? Optional.empty()
                    : Optional.of(new Quota(
                            "/" + directory,
                            (double) runs / period,
                            stat(directory, "nr_periods"),
                            stat(directory, "nr_throttled"),
                            nanos));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private long stat(String directory, String key) {
        return groups.tree()
                .field(directory + "/cpu.stat", key)
                .map(Long::parseLong)
                .orElse(0L);
    }

    /**
     * Returns the limit that stopped processes longest between two readings, with its figures for that time. If no
     * limit did, returns the lowest; null if there is no limit.
     */
    public static Quota within(List<Quota> before, List<Quota> after) {
        return after.stream()
                .map(now -> now.since(before.stream()
                        .filter(then -> then.group().equals(now.group()))
                        .findFirst()
                        .orElse(now)))
                .max(Comparator.comparingLong(Quota::throttledNanos)
                        .thenComparingLong(Quota::throttled)
                        .thenComparing(Comparator.comparingDouble(Quota::cores).reversed()))
                .orElse(null);
    }

    public Optional<Quota> lowest() {
        return quotas().stream().min(Comparator.comparingDouble(Quota::cores));
    }
}
