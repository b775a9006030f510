package dev.msgrelay.server.cli;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** The process's garbage collections so far. */
public record GarbageCollections(long count, long millis) {
    /** Of all collectors, at this moment. */
    public static GarbageCollections now() {
        long count = 0;
        long millis = 0;
        for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += Math.max(0, gc.getCollectionCount());
            millis += Math.max(0, gc.getCollectionTime());
        }
        return new GarbageCollections(count, millis);
    }
}
