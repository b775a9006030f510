package dev.msgrelay.lab;

import static dev.msgrelay.loadgen.render.Unit.format;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What an experiment needs; checked before it starts.
 *
 * @param diskBytes in the directory for temporary files, at one time
 * @param descriptors open files and sockets at one time
 * @param cores so many threads or processes want a core at the same time; fewer are told, and no refusal
 */
public record Needs(long diskBytes, int descriptors, int cores) {
    private static final double MEGA = 1e6;

    /**
     * What this machine has.
     *
     * @param writable whether the directory is one, and takes files
     * @param descriptors so many more can be opened
     * @param openDescriptors so many are open
     */
    public record Room(
            Path directory, boolean writable, long freeBytes, long descriptors, long openDescriptors, int cores) {
        /** Looks. */
        public static Room here(Path directory) {
            boolean writable = Files.isDirectory(directory) && Files.isWritable(directory);
            long allowed = Long.MAX_VALUE;
            long open = 0;
            if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
                open = unix.getOpenFileDescriptorCount();
                allowed = unix.getMaxFileDescriptorCount() - open;
            }
            int cores = Runtime.getRuntime().availableProcessors();
            return new Room(directory, writable, writable ? free(directory) : 0, allowed, open, cores);
        }

        private static long free(Path directory) {
            try {
                return Files.getFileStore(directory).getUsableSpace();
            } catch (IOException e) {
                // A file system that does not tell is tried.
                return Long.MAX_VALUE;
            }
        }
    }

    /** What is missing and makes the run impossible, each with the number needed; empty when it may start. */
    public List<String> shortfalls(Room room) {
        List<String> missing = new ArrayList<>();
        if (!room.writable()) {
            missing.add(room.directory() + " is not a directory that can be written to");
        } else if (diskBytes > room.freeBytes()) {
            missing.add(format(
                    "%,.0f MB needed in %s, %,.0f MB free: give another --dir",
                    Math.ceil(diskBytes / MEGA), room.directory(), Math.floor(room.freeBytes() / MEGA)));
        }
        if (descriptors > room.descriptors()) {
            missing.add(descriptors + " open files needed, " + room.descriptors() + " allowed: raise 'ulimit -n' to "
                    + (room.openDescriptors() + descriptors) + " or more");
        }
        return missing;
    }

    /** What is less than wished and may bend the figures; empty where nothing is. */
    public List<String> remarks(Room room) {
        return cores <= room.cores()
                ? List.of()
                : List.of(cores + " threads share " + room.cores() + " cores: with " + cores
                        + " cores figures may differ");
    }
}
