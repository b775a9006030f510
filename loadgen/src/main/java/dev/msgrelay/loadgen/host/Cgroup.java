package dev.msgrelay.loadgen.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The limits that a container, or whoever else uses control groups, puts on this process; the tightest on the way up.
 *
 * @param cpus cores' worth of time; empty when unlimited or not told
 * @param memoryBytes empty when unlimited or not told
 */
public record Cgroup(OptionalDouble cpus, OptionalLong memoryBytes) {
    private static final String UNLIMITED = "max";

    /** Version 1 has a number for "no limit": all bits that are left of a page. Nobody has that much. */
    private static final long UNLIMITED_BYTES = 1L << 60;

    private static final int FIELDS = 3;

    /** Reads version 2 and version 1, wherever they are mounted by convention. */
    public static Cgroup read(SystemTree tree) {
        OptionalDouble cpus = OptionalDouble.empty();
        OptionalLong memory = OptionalLong.empty();
        for (String line : tree.text("proc/self/cgroup").orElse("").lines().toList()) {
            String[] fields = line.split(":", FIELDS);
            if (fields.length < FIELDS) {
                continue;
            }
            List<String> controllers = List.of(fields[1].split(","));
            for (String path : upwards(fields[2])) {
                if (fields[1].isEmpty()) {
                    cpus = smaller(cpus, cpusOf(tree, "sys/fs/cgroup" + path));
                    memory = smaller(memory, bytes(tree, "sys/fs/cgroup" + path + "memory.max"));
                }
                if (controllers.contains("cpu")) {
                    cpus = smaller(cpus, oldCpusOf(tree, "sys/fs/cgroup/cpu" + path));
                }
                if (controllers.contains("memory")) {
                    memory = smaller(memory, bytes(tree, "sys/fs/cgroup/memory" + path + "memory.limit_in_bytes"));
                }
            }
        }
        return new Cgroup(cpus, memory);
    }

    /** {@code /a/b}: {@code /a/b/}, {@code /a/}, {@code /}. Within a container the last one is its own. */
    private static List<String> upwards(String path) {
        List<String> all = new ArrayList<>();
        String rest = path.endsWith("/") ? path : path + "/";
        while (rest.length() > 1) {
            all.add(rest);
            rest = rest.substring(0, rest.lastIndexOf('/', rest.length() - 2) + 1);
        }
        all.add("/");
        return all;
    }

    /** {@code cpu.max}: quota and period in microseconds, the quota {@code max} where there is none. */
    private static OptionalDouble cpusOf(SystemTree tree, String directory) {
        Optional<String[]> fields = tree.text(directory + "cpu.max").map(text -> text.split("\\s+"));
        if (fields.isEmpty() || fields.get().length != 2 || fields.get()[0].equals(UNLIMITED)) {
            return OptionalDouble.empty();
        }
        return share(SystemTree.parse(fields.get()[0]), SystemTree.parse(fields.get()[1]));
    }

    private static OptionalDouble oldCpusOf(SystemTree tree, String directory) {
        return share(tree.number(directory + "cpu.cfs_quota_us"), tree.number(directory + "cpu.cfs_period_us"));
    }

    private static OptionalDouble share(OptionalLong quota, OptionalLong period) {
        boolean limited = quota.isPresent() && quota.getAsLong() > 0 && period.isPresent() && period.getAsLong() > 0;
        return limited ? OptionalDouble.of((double) quota.getAsLong() / period.getAsLong()) : OptionalDouble.empty();
    }

    private static OptionalLong bytes(SystemTree tree, String path) {
        OptionalLong told = tree.number(path);
        return told.isPresent() && told.getAsLong() < UNLIMITED_BYTES ? told : OptionalLong.empty();
    }

    private static OptionalDouble smaller(OptionalDouble a, OptionalDouble b) {
        return a.isEmpty() || (b.isPresent() && b.getAsDouble() < a.getAsDouble()) ? b : a;
    }

    private static OptionalLong smaller(OptionalLong a, OptionalLong b) {
        return a.isEmpty() || (b.isPresent() && b.getAsLong() < a.getAsLong()) ? b : a;
    }
}
