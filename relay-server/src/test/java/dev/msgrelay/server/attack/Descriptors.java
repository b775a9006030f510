package dev.msgrelay.server.attack;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Assumptions;

/** How many connections this process can hold both ends of. */
final class Descriptors {
    /** For everything else. */
    private static final int OTHERS = 500;

    private Descriptors() {}

    /**
     * So many; where the limit of descriptors leaves no room for them, the test is skipped, and says why: with fewer it would
     * show something else.
     */
    static int connections(int wanted) {
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long left = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount() - OTHERS;
        Assumptions.assumeTrue(
                left / 2 >= wanted,
                () -> "room for " + left / 2 + " connections, " + wanted + " are needed: this process may have "
                        + system.getMaxFileDescriptorCount() + " descriptors, raise ulimit -n");
        return wanted;
    }
}
