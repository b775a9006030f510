package dev.msgrelay.loadgen.lab.senders;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;

/** Makes a server's threads and knows what processor time they have taken, as long as they are alive. */
final class ServerThreads implements ThreadFactory {
    private final ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new Thread(work, "file-server-" + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    long cpuNanos() {
        return threads.stream()
                .mapToLong(thread -> Math.max(0, bean.getThreadCpuTime(thread.getId())))
                .sum();
    }
}
