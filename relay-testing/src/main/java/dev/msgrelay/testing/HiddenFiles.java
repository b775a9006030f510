package dev.msgrelay.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** Files that are there, and that the user of a process may not read. */
public final class HiddenFiles {
    /** Takes from root what lets it read everything: then a file's own permissions count, as for any other user. */
    private static final List<String> AS_OTHERS = List.of(
            "setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search");

    private HiddenFiles() {}

    /**
     * The words before a command that is to run as somebody who cannot read them; none where this user cannot. Skips the test
     * where there is no such way, and prints why.
     *
     * @param directory for a file to try
     */
    public static List<String> prefix(Path directory) throws IOException, InterruptedException {
        Path file = hide(Files.writeString(directory.resolve("hidden"), "x"));
        for (List<String> prefix : List.of(List.<String>of(), AS_OTHERS)) {
            if (!reads(prefix, file)) {
                return prefix;
            }
        }
        String reason = "this user reads everything, and setpriv does not help";
        System.out.println("skipped: " + reason);
        return Assumptions.abort(reason);
    }

    /** Whether a process that is started so can read it; also where it cannot be started so. */
    private static boolean reads(List<String> prefix, Path file) throws InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("cat", file.toString()));
        try {
            Process cat = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            // 1 is cat's own word for what it cannot read.
            return cat.waitFor() != 1;
        } catch (IOException noSuchCommand) {
            return true;
        }
    }

    public static Path hide(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
    }

    public static Path show(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
}
