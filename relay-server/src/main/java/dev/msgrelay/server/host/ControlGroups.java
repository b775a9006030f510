package dev.msgrelay.server.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The control group of this process and the groups above it, for one controller. They limit a container. Immutable.
 *
 * @param tree the system's files, from the root
 * @param directories the groups' folders, from the process's own group upwards; empty: the process has no group, or the
 *     system does not show it
 * @param unified true: control groups of version 2; false: of version 1
 */
public record ControlGroups(SystemTree tree, List<String> directories, boolean unified) {
    private static final String MOUNTS = "proc/self/mountinfo";
    private static final String GROUPS = "proc/self/cgroup";
    private static final int MOUNT_ROOT = 3;
    private static final int MOUNT_POINT = 4;

    /** The groups of this process, for a controller such as {@code cpu}. */
    public static ControlGroups of(SystemTree tree, String controller) {
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
                                        : List.of(line[1].split(",")).contains(controller)))
                        .map(line -> line[2])
                        .findFirst();
                boolean right = fields.length > MOUNT_POINT
                        && kind.length == MOUNT_ROOT
                        && kind[0].equals(unified ? "cgroup2" : "cgroup")
                        && (unified || List.of(kind[2].split(",")).contains(controller));
                if (right && path.isPresent()) {
                    String directory = fields[MOUNT_POINT].substring(1);
                    return new ControlGroups(tree, upwards(directory, below(fields[MOUNT_ROOT], path.get())), unified);
                }
            }
        }
        return new ControlGroups(tree, List.of(), false);
    }

    /** A group's path below a mount; empty if it lies outside of the mount, as it may seem within a container. */
    private static String below(String root, String path) {
        String at = root.equals("/") ? path : path.startsWith(root) ? path.substring(root.length()) : "";
        return at.contains("/..") || at.equals("/") ? "" : at;
    }

    private static List<String> upwards(String mount, String path) {
        List<String> all = new ArrayList<>();
        for (String at = path; !at.isEmpty(); at = at.substring(0, Math.max(0, at.lastIndexOf('/')))) {
            all.add(mount + at);
        }
        all.add(mount);
        return List.copyOf(all);
    }
}
