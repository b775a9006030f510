package dev.msgrelay.server.cli;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.msgrelay.server.config.RelayConfig;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;

/** Whether the system lets the process have as many open files as the relay may have connections. */
final class Descriptors {
    /** Beside connections: the JVM's own, loops, ports, the admin port's connections, files of a journal and of a node. */
    private static final int OTHERS = 64;

    private Descriptors() {}

    /** Says so where it does not. */
    static void check(RelayConfig config, Logger log) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            String line = line(config.clients().maxConnections(), system.getMaxFileDescriptorCount());
            if (line != null) {
                log.warn(line);
            }
        }
    }

    /**
     * What is to be said; null: nothing.
     *
     * @param allowed the limit as it is for the JVM, which has raised its own to the hard one; below 0: nobody knows
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
