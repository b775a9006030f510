package dev.msgrelay.loadgen.lab.asyncfiles;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which threads have done something since: those that took processor time. The JDK's pool keeps its threads for good, so that
 * their mere number would say nothing.
 */
final class WorkingThreads {
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();

    private final Set<Long> others;
    private final Map<Long, Long> before;

    private WorkingThreads(Set<Long> others, Map<Long, Long> before) {
        this.others = others;
        this.before = before;
    }

    /** The threads that there are. */
    static Set<Long> all() {
        return Set.copyOf(cpuTimes().keySet());
    }

    /** Begins to look; threads of {@code others} do not count. */
    static WorkingThreads since(Set<Long> others) {
        return new WorkingThreads(others, cpuTimes());
    }

    /** How many there are so far, of those that are alive. */
    int count() {
        int working = 0;
        for (Map.Entry<Long, Long> thread : cpuTimes().entrySet()) {
            if (!others.contains(thread.getKey()) && thread.getValue() > before.getOrDefault(thread.getKey(), 0L)) {
                working++;
            }
        }
        return working;
    }

    private static Map<Long, Long> cpuTimes() {
        Map<Long, Long> times = new HashMap<>();
        for (long id : BEAN.getAllThreadIds()) {
            times.put(id, BEAN.getThreadCpuTime(id));
        }
        return times;
    }
}
