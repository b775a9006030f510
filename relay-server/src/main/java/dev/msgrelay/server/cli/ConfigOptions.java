package dev.msgrelay.server.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options that name and check the configuration file. */
final class ConfigOptions {
    static final String FILE = "--config";

    static final String CHECK = "--check-config";

    @Option(
            names = FILE,
            paramLabel = "FILE",
            description = "Reads options, and the access rules, from a file with lines such as log-size = 64m. A flag "
                    + "overrides RELAY_LOG_SIZE of the environment, which overrides the file. SIGHUP reloads the "
                    + "file, and so does POST /reload at the admin port.")
    private Path file;

    @Option(names = CHECK, description = "Checks the whole configuration, and ends: code 0, or 2 with file and line.")
    private boolean check;

    boolean checkOnly() {
        return check;
    }
}
