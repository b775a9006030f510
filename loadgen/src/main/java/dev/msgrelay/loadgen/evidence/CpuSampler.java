package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.host.ProcessTimes;
import dev.msgrelay.server.host.SystemTree;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long the threads of the watched processes ran, and how long they waited for a core. It reads
 * /proc/PID/task/TID/schedstat. If the kernel lacks that file, /proc/PID/task/TID/stat is read, which has steps of 10
 * ms and no waiting times. The CPU time of threads that end between two samples is found in the total of their process.
 * Only the sampling thread uses this class.
 */
final class CpuSampler {
    /** The JVM's compiler threads, which are left out: they are busy in a young JVM, but no message waits for them. */
    private static final List<String> BESIDE = List.of("C1 Compiler", "C2 Compiler");

    /** Smaller differences are ignored, since they may be rounding errors of the kernel's steps of 10 ms. */
    private static final long ROUNDING_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    private static final int MAX_THREADS = 16_384;

    private static final long CONTROLLER = ProcessHandle.current().pid();

    private final SystemTree source;
    private final Watched watched;
    private final Map<String, ThreadTimes> threads = new HashMap<>();

    private final Map<Long, long[]> totals = new HashMap<>();

    private int looks;
    private boolean waitsKnown = true;
    private long firstNanos;
    private long lastNanos;

    private static final class ThreadTimes {
        private final Watched.Process process;
        private final String name;
        private long ranBefore;
        private long waitedBefore;
        private long ran;
        private long waited;
        private int lastLook;

        ThreadTimes(Watched.Process process, String name) {
            this.process = process;
            this.name = name;
        }

        boolean isBeside() {
            return BESIDE.stream().anyMatch(name::startsWith);
        }
    }

    CpuSampler(SystemTree source, Watched watched) {
        this.source = source;
        this.watched = watched;
    }

    void sample(long now) {
        looks++;
        for (Watched.Process process : watched.processes()) {
            total(process.pid());
            for (String tid : source.names(process.pid() + "/task")) {
                sample(process, tid);
            }
        }
        total(CONTROLLER);
        if (looks == 1) {
            firstNanos = now;
        }
        lastNanos = now;
    }

    private void total(long pid) {
        ProcessTimes.parse(source.text(pid + "/stat").orElse("")).ifPresent(times -> {
            long[] total = totals.computeIfAbsent(pid, key -> new long[] {looks > 1 ? 0 : times.nanos(), 0});
            total[1] = times.nanos();
        });
    }

    /**
     * A thread uses CPU time between its last sample and its end. This adds all such time of a process to the busiest
     * of its ended threads.
     */
    void settle() {
        for (Watched.Process process : watched.processes()) {
            long known = 0;
            ThreadTimes ended = null;
            for (ThreadTimes thread : threads.values()) {
                if (thread.process == process) {
                    known += thread.ran - thread.ranBefore;
                    boolean counts = thread.lastLook < looks && !thread.isBeside();
                    ended = counts && (ended == null || thread.ran > ended.ran) ? thread : ended;
                }
            }
            long missing = used(process.pid()) - known;
            if (ended != null && missing > ROUNDING_NANOS) {
                ended.ran += missing;
            }
        }
    }

    private long used(long pid) {
        long[] total = totals.getOrDefault(pid, new long[2]);
        return total[1] - total[0];
    }

    private void sample(Watched.Process process, String tid) {
        String path = process.pid() + "/task/" + tid;
        Optional<long[]> sampled = times(path);
        ThreadTimes thread = threads.get(path);
        if (sampled.isEmpty() || (thread == null && threads.size() == MAX_THREADS)) {
            return;
        }
        long[] times = sampled.get();
        if (thread == null) {
            thread = new ThreadTimes(process, name(path));
            threads.put(path, thread);
            if (looks == 1) {
                // A thread that appears after the first sample started within the window, so its times began at 0.
                thread.ranBefore = times[0];
                thread.waitedBefore = times[1];
            }
        }
        thread.lastLook = looks;
        thread.ran = times[0];
        thread.waited = times[1];
    }

    private String name(String path) {
        String name = source.text(path + "/comm").orElse("?").strip();
        // The kernel names a JVM's main thread after the program, "java". For people, "main" is clearer.
        return name.equals("java") ? "main" : name;
    }

    /** Returns the nanoseconds that a thread ran and waited since its start; empty if it has ended. */
    private Optional<long[]> times(String path) {
        try {
            String[] fields =
                    source.text(path + "/schedstat").orElse("").strip().split(" ");
            if (fields.length >= 2) {
                return Optional.of(new long[] {Long.parseLong(fields[0]), Long.parseLong(fields[1])});
            }
        } catch (NumberFormatException e) {
            // The content of schedstat is unusual, so stat is read instead.
        }
        Optional<ProcessTimes> times =
                ProcessTimes.parse(source.text(path + "/stat").orElse(""));
        waitsKnown &= times.isEmpty();
        return times.map(known -> new long[] {known.nanos(), 0});
    }

    boolean waitsKnown() {
        return waitsKnown;
    }

    List<CpuShare> busiest() {
        double nanos = lastNanos - firstNanos;
        return watched.processes().stream()
                .filter(process -> nanos > 0 && !process.beside())
                .flatMap(process -> threads.values().stream()
                        .filter(thread -> thread.process == process && !thread.isBeside())
                        .map(thread -> share(thread, nanos))
                        .max(Comparator.comparingDouble(CpuShare::wanted))
                        .stream())
                .toList();
    }

    /** Returns how many cores the watched processes and the controller used, on average. */
    double cores() {
        double nanos = lastNanos - firstNanos;
        long ran = used(CONTROLLER);
        for (ThreadTimes thread : threads.values()) {
            ran += thread.ran - thread.ranBefore;
        }
        return nanos <= 0 ? 0 : ran / nanos;
    }

    private static CpuShare share(ThreadTimes thread, double nanos) {
        return new CpuShare(
                thread.process.role(),
                thread.process.name(),
                thread.name,
                Math.min(1, (thread.ran - thread.ranBefore) / nanos),
                Math.min(1, (thread.waited - thread.waitedBefore) / nanos));
    }
}
