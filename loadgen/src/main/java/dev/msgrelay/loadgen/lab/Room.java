package dev.msgrelay.loadgen.lab;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What this machine has for an experiment.
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
        return new Room(
                directory,
                writable,
                writable ? free(directory) : 0,
                allowed,
                open,
                Runtime.getRuntime().availableProcessors());
    }

    /** The limit under which so many more can be opened. */
    long descriptorsFor(int more) {
        return openDescriptors + more;
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
