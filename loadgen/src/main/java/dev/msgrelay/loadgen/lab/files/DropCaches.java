package dev.msgrelay.loadgen.lab.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Linux's switch that empties the page cache of the whole machine. */
public final class DropCaches {
    /** Where it is. */
    public static final Path SWITCH = Path.of("/proc/sys/vm/drop_caches");

    private static final String CLEAN_PAGES = "1\n";

    private DropCaches() {}

    /** Whether this process may: as a rule, root alone. */
    public static boolean isAllowed() {
        return Files.isWritable(SWITCH);
    }

    /** Drops what is clean; what is not written to the device yet stays. */
    static void now() throws IOException {
        Files.writeString(SWITCH, CLEAN_PAGES);
    }
}
