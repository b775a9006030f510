package dev.msgrelay.loadgen.site;

import java.util.ArrayList;
import java.util.List;

/**
 * Lets a program that knows nothing of its controller end with it, however that ends: a shell becomes the program, and
 * leaves a reader of its stdin behind that kills it when that ends. The process id is the program's own.
 */
public final class Guard {
    private static final String SCRIPT =
            "exec 3<&0; (cat <&3; kill -9 $$) >/dev/null 2>&1 & exec 3<&-; exec \"$@\" </dev/null";

    private Guard() {}

    /** The command that starts this one guarded. */
    public static List<String> around(List<String> command) {
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", SCRIPT, "guarded"));
        guarded.addAll(command);
        return guarded;
    }
}
