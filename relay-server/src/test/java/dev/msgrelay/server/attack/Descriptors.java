package dev.msgrelay.server.attack;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many connections this process can hold both ends of. */
final class Descriptors {
    /** For everything else. */
    private static final int OTHERS = 500;

    private Descriptors() {}

    /** So many, or what the limit of descriptors leaves room for, which is printed then. */
    static int connections(int wanted) {
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long left = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount() - OTHERS;
        int count = (int) Math.min(wanted, left / 2);
        if (count < wanted) {
            System.out.printf(
                    "%d connections instead of %d: this process may have %d descriptors%n",
                    count, wanted, system.getMaxFileDescriptorCount());
        }
        return count;
    }
}
