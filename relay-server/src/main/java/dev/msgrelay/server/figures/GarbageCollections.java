package dev.msgrelay.server.figures;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

public record GarbageCollections(long count, long millis) {
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    public static GarbageCollections now() {
        return new GarbageCollections(
                COLLECTORS.stream()
                        .mapToLong(gc -> Math.max(0, gc.getCollectionCount()))
                        .sum(),
                COLLECTORS.stream()
                        .mapToLong(gc -> Math.max(0, gc.getCollectionTime()))
                        .sum());
    }
}
