package dev.msgrelay.server.host;

import java.util.OptionalLong;

/** The system's limit of the length of files that this process writes: RLIMIT_FSIZE. */
public final class FileSizeLimit {
    private FileSizeLimit() {}

    /** The limit in bytes; empty: there is none, or it is not known. */
    public static OptionalLong of(SystemTree tree) {
        try {
            return tree.field("proc/self/limits", "Max file size").stream()
                    .mapToLong(soft -> Long.parseLong(soft.replaceFirst("\\s.*", "")))
                    .findFirst();
        } catch (NumberFormatException unlimited) {
            return OptionalLong.empty();
        }
    }
}
