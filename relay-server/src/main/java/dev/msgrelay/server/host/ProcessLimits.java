package dev.msgrelay.server.host;

import java.util.OptionalLong;

/** The system's limits of this process, as they hold now. */
public final class ProcessLimits {
    private ProcessLimits() {}

    /** Bytes of a file that this process writes, at most: RLIMIT_FSIZE; empty: there is no limit, or it is not known. */
    public static OptionalLong fileBytes(SystemTree tree) {
        return of(tree, "Max file size");
    }

    /**
     * Files that this process has open at once, at most: RLIMIT_NOFILE, which the JVM has raised to what it may; empty: there is no
     * limit, or it is not known.
     */
    public static OptionalLong openFiles(SystemTree tree) {
        return of(tree, "Max open files");
    }

    private static OptionalLong of(SystemTree tree, String limit) {
        try {
            return tree.field("proc/self/limits", limit).stream()
                    .mapToLong(soft -> Long.parseLong(soft.replaceFirst("\\s.*", "")))
                    .findFirst();
        } catch (NumberFormatException unlimited) {
            return OptionalLong.empty();
        }
    }
}
