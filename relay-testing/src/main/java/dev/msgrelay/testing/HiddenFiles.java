package dev.msgrelay.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** Files that exist, and that the user of a process may not read. */
public final class HiddenFiles {
    /**
     * A command prefix that takes from root the right to read every file: then a file's own permissions count, as for
     * any other user.
     */
    private static final List<String> AS_OTHERS = List.of(
            "setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search");

    private HiddenFiles() {}

    /**
     * The prefix of a command that must not be able to read hidden files; empty if this user cannot read them. Skips
     * the test if there is no such prefix, and prints the reason.
     *
     * @param directory directory for a test file
     */
    public static List<String> prefix(Path directory) throws IOException, InterruptedException {
        Path file = hide(Files.writeString(directory.resolve("hidden"), "x"));
        for (List<String> prefix : List.of(List.<String>of(), AS_OTHERS)) {
            if (!reads(prefix, file)) {
                return prefix;
            }
        }
        ThisMachine.need(false, "this user reads everything, and setpriv does not help");
        throw new AssertionError("not skipped");
    }

    /** Whether a process with this prefix can read the file; true also if the prefix does not work. */
    private static boolean reads(List<String> prefix, Path file) throws InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("cat", file.toString()));
        try {
            // cat exits with 1 if it cannot read a file.
            return TestProcess.run(command.toArray(String[]::new)).exitCode() != 1;
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
