package dev.msgrelay.server.assembly;

import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.FleetingFiles;
import dev.msgrelay.server.host.SystemTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What the system allows this process, compared with what a relay needs, before the relay takes anything. */
public final class MachineLimits {
    /**
     * Open files beside those of connections: the JVM's own, loops, ports, the admin port's connections, files of a
     * journal and of a node.
     */
    private static final int OTHER_FILES = 64;

    private MachineLimits() {}

    /**
     * Compares the limits with a configuration.
     *
     * @return warnings of limits that a relay may come to; a line each
     * @throws IOException the relay cannot work within a limit; the message names the limit and what is needed
     */
    public static List<String> check(RelayConfig config, SystemTree system) throws IOException {
        List<String> warnings = new ArrayList<>();
        String tooLow = MachineMemory.here(system).check(config);
        if (tooLow != null) {
            warnings.add(tooLow);
        }
        checkFileSize(config, system.processLimit("Max file size"));
        // The JVM has raised this limit to what it may.
        String few = tooFewFiles(config, system.processLimit("Max open files"));
        if (few != null) {
            warnings.add(few);
        }
        if (config.journal().on()) {
            Path directory = config.journal().directory();
            FleetingFiles.why(system, directory).ifPresent(why -> warnings.add("journal " + directory + " is " + why));
        }
        return warnings;
    }

    /** Null: connections do not come to the limit. */
    private static String tooFewFiles(RelayConfig config, OptionalLong limit) {
        int connections = config.clients().maxConnections();
        long needed = (long) connections + OTHER_FILES;
        if (limit.isEmpty() || limit.getAsLong() >= needed) {
            return null;
        }
        return "ulimit -n is " + limit.getAsLong() + ", and " + connections
                + " connections (--max-connections) may need "
                + needed + ": those beyond wait until others have gone. Raise it (ulimit -Hn, LimitNOFILE= of systemd,"
                + " --ulimit nofile= of docker), or lower --max-connections";
    }

    private static void checkFileSize(RelayConfig config, OptionalLong limit) throws IOException {
        if (limit.isEmpty()) {
            return;
        }
        String allowed = "ulimit -f (RLIMIT_FSIZE) is " + limit.getAsLong() + " bytes, and ";
        String raise = ". Raise it (ulimit -f unlimited, LimitFSIZE= of systemd, --ulimit fsize= of docker)";
        long segment = config.journal().segmentBytes();
        if (config.journal().on() && segment > limit.getAsLong()) {
            throw new IOException(allowed + "a segment of the journal is a file of " + segment
                    + " bytes (--journal-segment)" + raise + ", or choose shorter segments");
        }
        if (config.cluster().on() && ClusterConfig.FILE_BYTES > limit.getAsLong()) {
            throw new IOException(
                    allowed + "a cluster's log has files of " + ClusterConfig.FILE_BYTES + " bytes" + raise);
        }
    }
}
