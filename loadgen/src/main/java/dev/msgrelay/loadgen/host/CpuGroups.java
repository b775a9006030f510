package dev.msgrelay.loadgen.host;

import static dev.msgrelay.loadgen.render.Unit.format;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The cgroup of this process, in which all processes of a run are, and the groups around it, as far as they limit CPU
 * time: a container's limit. /proc/stat knows nothing of it. Of version 1 (controller cpu) and version 2. Immutable.
 *
 * @param tree this system's files, from the root
 * @param directories of the groups, the process's own first; empty where nothing limits, or nothing is told
 * @param unified whether they are of version 2
 */
public record CpuGroups(SystemTree tree, List<String> directories, boolean unified) {
    private static final String MOUNTS = "proc/self/mountinfo";

    private static final String GROUPS = "proc/self/cgroup";
    private static final String CPU = "cpu";
    private static final int MOUNT_ROOT = 3;
    private static final int MOUNT_POINT = 4;
    private static final int NANOS_OF_MICRO = 1_000;

    /**
     * A group's limit, and what became of it since the group was made, or within a window.
     *
     * @param group its directory
     * @param cores so many cores' time in each period
     * @param periods in which something ran
     * @param throttled of these, in which the limit was reached: what is in the group stood still until the next one
     * @param throttledNanos time in which it stood still, of all cores together
     */
    public record Quota(String group, double cores, long periods, long throttled, long throttledNanos) {
        /** "0.60 cores, reached in 36 of 80 periods: throttled for 1.23 s, over all cores". */
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

    /** The groups of this process. */
    public static CpuGroups of(SystemTree tree) {
        List<String> mounts = tree.text(MOUNTS).orElse("").lines().toList();
        List<String> groups = tree.text(GROUPS).orElse("").lines().toList();
        for (boolean unified : List.of(false, true)) {
            for (String mount : mounts) {
                String[] fields = mount.split(" ");
                String[] kind = mount.replaceFirst(".* - ", "").split(" ");
                Optional<String> path = groups.stream()
                        .map(line -> line.split(":", MOUNT_ROOT))
                        .filter(line -> line.length == MOUNT_ROOT
                                && (unified
                                        ? line[1].isEmpty()
                                        : List.of(line[1].split(",")).contains(CPU)))
                        .map(line -> line[2])
                        .findFirst();
                boolean right = fields.length > MOUNT_POINT
                        && kind.length == MOUNT_ROOT
                        && kind[0].equals(unified ? "cgroup2" : "cgroup")
                        && (unified || List.of(kind[2].split(",")).contains(CPU));
                if (right && path.isPresent()) {
                    String directory = fields[MOUNT_POINT].substring(1);
                    return new CpuGroups(tree, upwards(directory, below(fields[MOUNT_ROOT], path.get())), unified);
                }
            }
        }
        return new CpuGroups(tree, List.of(), false);
    }

    /** The path of a group below a mount; the mount itself where the group lies elsewhere, as a container sees it. */
    private static String below(String root, String path) {
        String at = root.equals("/") ? path : path.startsWith(root) ? path.substring(root.length()) : "";
        return at.contains("/..") || at.equals("/") ? "" : at;
    }

    private static List<String> upwards(String mount, String path) {
        List<String> all = new ArrayList<>();
        String at = path;
        while (!at.isEmpty()) {
            all.add(mount + at);
            at = at.substring(0, Math.max(0, at.lastIndexOf('/')));
        }
        all.add(mount);
        return List.copyOf(all);
    }

    /** The limits that there are now, each with its figures since the group was made. */
    public List<Quota> quotas() {
        return directories.stream().map(this::quota).flatMap(Optional::stream).toList();
    }

    private Optional<Quota> quota(String directory) {
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
        return tree.field(directory + "/cpu.stat", key).map(Long::parseLong).orElse(0L);
    }

    /**
     * The limit that a window has felt most, with the window's own figures; of those that it has not felt, the lowest.
     * Null: there is none.
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

    /** The lowest limit, with its figures since the group was made; null: there is none. */
    public Quota lowest() {
        return quotas().stream().min(Comparator.comparingDouble(Quota::cores)).orElse(null);
    }
}
