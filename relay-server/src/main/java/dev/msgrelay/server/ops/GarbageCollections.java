package dev.msgrelay.server.ops;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** The process's garbage collections so far. */
public record GarbageCollections(long count, long millis) {
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    /** The sums over all collectors at this moment. */
    public static GarbageCollections now() {
        long count = 0;
        long millis = 0;
        for (GarbageCollectorMXBean gc : COLLECTORS) {
            count += Math.max(0, gc.getCollectionCount());
            millis += Math.max(0, gc.getCollectionTime());
        }
        return new GarbageCollections(count, millis);
    }
}
