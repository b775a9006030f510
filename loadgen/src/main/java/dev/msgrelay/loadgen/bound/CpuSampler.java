package dev.msgrelay.loadgen.bound;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How long the threads of the watched processes ran, and how long they waited for a core: /proc/PID/task/TID/schedstat, or
 * where the kernel has no such file, the times of /proc/PID/task/TID/stat, in steps of 10 ms. The sampler's thread owns it.
 */
final class CpuSampler {
    /** Threads of a local producer are named like this, see {@link Watched.Process}. */
    private static final String PUBLISHER_THREAD = "publisher";

    /** The JVM's compilers are busy in every young JVM, but no message waits for them. */
    private static final List<String> BESIDE = List.of("C1 Compiler", "C2 Compiler");

    /** The kernel calls a JVM's main thread by the program's name, which says nothing. */
    private static final String PROGRAM = "java";

    private static final String MAIN = "main";

    /** USER_HZ is 100 on every Linux that runs a JDK. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Fields of stat behind the closing parenthesis of the name: user time, then system time. */
    private static final int USER_TIME = 11;

    /** Threads that are told apart; of what comes on top nothing is known. */
    private static final int MAX_THREADS = 16_384;

    private final SampleSource source;
    private final Watched watched;
    private final Map<String, ThreadTimes> threads = new HashMap<>();
    private boolean waitsKnown = true;
    private boolean started;
    private long firstNanos;
    private long lastNanos;

    private static final class ThreadTimes {
        private final Watched.Process process;
        private final String name;
        private long ranBefore;
        private long waitedBefore;
        private long ran;
        private long waited;

        ThreadTimes(Watched.Process process, String name) {
            this.process = process;
            this.name = name;
        }

        Role role() {
            return process.role() == Role.RELAY && name.startsWith(PUBLISHER_THREAD) ? Role.PUBLISHER : process.role();
        }
    }

    CpuSampler(SampleSource source, Watched watched) {
        this.source = source;
        this.watched = watched;
    }

    void sample(long now) {
        for (Watched.Process process : watched.processes()) {
            for (String tid : source.names(process.pid() + "/task")) {
                sample(process, tid);
            }
        }
        if (!started) {
            firstNanos = now;
            started = true;
        }
        lastNanos = now;
    }

    private void sample(Watched.Process process, String tid) {
        String path = process.pid() + "/task/" + tid;
        long[] times = times(path);
        ThreadTimes thread = threads.get(path);
        if (times == null || (thread == null && threads.size() == MAX_THREADS)) {
            return;
        }
        if (thread == null) {
            thread = new ThreadTimes(process, name(path));
            threads.put(path, thread);
            if (!started) {
                // Who comes later began within the window, at nothing.
                thread.ranBefore = times[0];
                thread.waitedBefore = times[1];
            }
        }
        thread.ran = times[0];
        thread.waited = times[1];
    }

    private String name(String path) {
        String name = source.text(path + "/comm").orElse("?").strip();
        return name.equals(PROGRAM) ? MAIN : name;
    }

    /** Nanoseconds run and waited since the thread's start, or null when it is gone. */
    private long[] times(String path) {
        try {
            String[] fields =
                    source.text(path + "/schedstat").orElse("").strip().split(" ");
            if (fields.length >= 2) {
                return new long[] {Long.parseLong(fields[0]), Long.parseLong(fields[1])};
            }
            String stat = source.text(path + "/stat").orElse("");
            fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
            if (fields.length > USER_TIME + 1) {
                waitsKnown = false;
                long ticks = Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[USER_TIME + 1]);
                return new long[] {ticks * TICK_NANOS, 0};
            }
        } catch (NumberFormatException e) {
            // no such figures in this file
        }
        return null;
    }

    /** False where the kernel does not tell how long threads waited for a core. */
    boolean waitsKnown() {
        return waitsKnown;
    }

    /** The busiest thread of each process and role, in the order of the processes; empty where no time has passed. */
    List<CpuShare> busiest() {
        List<CpuShare> shares = new ArrayList<>();
        double nanos = lastNanos - firstNanos;
        if (nanos <= 0) {
            return shares;
        }
        for (Watched.Process process : watched.processes()) {
            if (process.beside()) {
                continue;
            }
            Map<Role, CpuShare> best = new EnumMap<>(Role.class);
            for (ThreadTimes thread : threads.values()) {
                if (thread.process == process && BESIDE.stream().noneMatch(thread.name::startsWith)) {
                    best.merge(thread.role(), share(thread, nanos), (a, b) -> a.wanted() >= b.wanted() ? a : b);
                }
            }
            shares.addAll(best.values());
        }
        return shares;
    }

    /** How many cores all threads of all watched processes used, on average; 0 where no time has passed. */
    double cores() {
        double nanos = lastNanos - firstNanos;
        long ran = 0;
        for (ThreadTimes thread : threads.values()) {
            ran += thread.ran - thread.ranBefore;
        }
        return nanos <= 0 ? 0 : ran / nanos;
    }

    private static CpuShare share(ThreadTimes thread, double nanos) {
        return new CpuShare(
                thread.role(),
                thread.process.name(),
                thread.name,
                Math.min(1, (thread.ran - thread.ranBefore) / nanos),
                Math.min(1, (thread.waited - thread.waitedBefore) / nanos));
    }
}
