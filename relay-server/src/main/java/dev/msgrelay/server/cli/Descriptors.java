package dev.msgrelay.server.cli;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.msgrelay.server.config.RelayConfig;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;

/** Compares the system's limit of open files with the number of connections that the relay may have. */
final class Descriptors {
    /**
     * Descriptors beside those of connections: the JVM's own, loops, ports, the admin port's connections, files of a
     * journal and of a node.
     */
    private static final int OTHERS = 64;

    private Descriptors() {}

    /** Logs a warning if the limit is too low. */
    static void check(RelayConfig config, Logger log) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            String line = line(config.clients().maxConnections(), system.getMaxFileDescriptorCount());
            if (line != null) {
                log.warn(line);
            }
        }
    }

    /**
     * The warning; null: the limit is high enough.
     *
     * @param allowed the process's limit, which the JVM has raised to the hard one; below 0: unknown
     */
    static String line(int connections, long allowed) {
        long needed = (long) connections + OTHERS;
        return allowed < 0 || allowed >= needed
                ? null
                : "ulimit -n is " + allowed + ", and " + connections + " connections (--max-connections) may need "
                        + needed
                        + ": those beyond wait until others have gone. Raise it (ulimit -Hn, LimitNOFILE= of systemd,"
                        + " --ulimit nofile= of docker), or lower --max-connections";
    }
}
