package dev.msgrelay.server.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Finds out from a file system's type whether its files are lost when the machine or the container ends. */
public final class FleetingFiles {
    private static final String MOUNTS = "proc/self/mountinfo";
    private static final int MOUNT_POINT = 4;

    private FleetingFiles() {}

    /**
     * Why files in a folder do not last, as the end of a sentence; empty if they may last. The folder need not exist.
     */
    public static Optional<String> why(SystemTree tree, Path folder) {
        Path place = real(folder);
        Path longest = Path.of("");
        String kind = "";
        for (String mount : tree.text(MOUNTS).orElse("").lines().toList()) {
            Optional<Path> point = mountPoint(mount).filter(place::startsWith);
            // A later mount at the same path covers an earlier one.
            if (point.isPresent() && (kind.isEmpty() || point.get().getNameCount() >= longest.getNameCount())) {
                longest = point.get();
                kind = mount.replaceFirst(".* - ", "").replaceFirst(" .*", "");
            }
        }
        String on = "on " + kind + " (" + longest + "), ";
        return switch (kind) {
            case "tmpfs", "ramfs", "devtmpfs", "rootfs" ->
                Optional.of(on + "which is memory: it does not survive the machine");
            case "overlay", "aufs", "fuse.fuse-overlayfs" ->
                Optional.of(on
                        + "most likely a container's own layer: it does not survive the container, let alone the"
                        + " machine. Give it a volume");
            default -> Optional.empty();
        };
    }

    /** The real path, without symbolic links, of a folder or of its nearest parent that exists. */
    private static Path real(Path folder) {
        Path there = folder.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            return there.toRealPath();
        } catch (IOException e) {
            return there.normalize();
        }
    }

    private static Optional<Path> mountPoint(String mount) {
        List<String> fields = List.of(mount.split(" "));
        try {
            return fields.stream()
                    .skip(MOUNT_POINT)
                    .findFirst()
                    .map(point -> Path.of(point.replace("\\040", " ")
                            .replace("\\011", "\t")
                            .replace("\\012", "\n")
                            .replace("\\134", "\\")));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }
}
