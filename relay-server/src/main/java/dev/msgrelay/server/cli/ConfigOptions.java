package dev.msgrelay.server.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where the other options come from. */
final class ConfigOptions {
    /** The option that names the file. */
    static final String FILE = "--config";

    /** The option that only looks. */
    static final String CHECK = "--check-config";

    @Option(
            names = FILE,
            paramLabel = "FILE",
            description =
                    "Options, and who may do what, from a file: log-size = 64m. What a flag says counts before RELAY_LOG_SIZE of"
                            + " the environment, and that before the file. SIGHUP reads it again, and so does"
                            + " POST /reload at the admin port.")
    private Path file;

    @Option(names = CHECK, description = "Says whether all of it is good, and ends: code 0, or 2 with file and line.")
    private boolean check;

    /** Whether to look only. */
    boolean checkOnly() {
        return check;
    }
}
