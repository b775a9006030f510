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
 * The resources that an experiment needs. They are checked before it starts.
 *
 * @param diskBytes bytes of temporary files that exist at the same time
 * @param descriptors files and sockets that are open at the same time
 * @param cores threads or processes that need a core at the same time; with fewer cores there is a remark, no refusal
 */
public record Needs(long diskBytes, int descriptors, int cores) {
    /** Returns the missing resources that make a run impossible, with the amounts needed. */
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
            // If the file system does not report its free space, the experiment tries to run.
            return Long.MAX_VALUE;
        }
    }

    public List<String> remarks(int coresHere) {
        return cores <= coresHere
                ? List.of()
                : List.of(
                        cores + " threads share " + coresHere + " cores: with " + cores + " cores figures may differ");
    }
}
