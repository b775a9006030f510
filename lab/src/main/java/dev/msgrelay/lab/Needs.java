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
 * The needs of an experiment; checked before it starts.
 *
 * @param diskBytes in the directory for temporary files, at one time
 * @param descriptors open files and sockets at one time
 * @param cores so many threads or processes want a core at the same time; fewer are told, and no refusal
 */
public record Needs(long diskBytes, int descriptors, int cores) {
    /** Shortfalls that make the run impossible, each with the number needed; empty when it may start. */
    public List<String> shortfalls(Path directory) {
        List<String> missing = new ArrayList<>();
        if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
            missing.add(directory + " is not a directory that can be written to");
        } else if (diskBytes > free(directory)) {
            missing.add(format(
                    "%,.0f MB needed in %s, %,.0f MB free: give another --dir",
                    Math.ceil(diskBytes / 1e6), directory, Math.floor(free(directory) / 1e6)));
        }
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
            long open = unix.getOpenFileDescriptorCount();
            long allowed = unix.getMaxFileDescriptorCount() - open;
            if (descriptors > allowed) {
                missing.add(descriptors + " open files needed, " + allowed + " allowed: raise 'ulimit -n' to "
                        + (open + descriptors) + " or more");
            }
        }
        return missing;
    }

    private static long free(Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            // A file system that does not tell is tried.
            return Long.MAX_VALUE;
        }
    }

    /** Shortages that may bend the figures; empty where there are none. */
    public List<String> remarks(int coresHere) {
        return cores <= coresHere
                ? List.of()
                : List.of(
                        cores + " threads share " + coresHere + " cores: with " + cores + " cores figures may differ");
    }
}
