package dev.msgrelay.lab.senders;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;

/**
 * Sends files on the loopback interface. A client connects and asks for a file by its number, an int; it gets the bytes of
 * the file and nothing else, and may ask again.
 */
interface FileServer extends AutoCloseable {
    int port();

    /** The processor time of all its threads so far. */
    long cpuNanos();

    /** Ends all connections and threads. */
    @Override
    void close() throws IOException;

    /** Makes a server's threads and knows what processor time they have taken, as long as they are alive. */
    final class Threads implements ThreadFactory {
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
}
