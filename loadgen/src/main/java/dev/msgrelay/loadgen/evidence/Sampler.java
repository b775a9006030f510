package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.host.CpuGroups;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.server.host.SystemTree;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Takes samples when told to, at times that it is told. One thread. */
final class Sampler {
    /** Threads are looked at so seldom: there are dozens in each JVM, and their times add up by themselves. */
    private static final long CPU_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final SystemTree source;
    private final CpuGroups groups;
    private final SocketSampler sockets;
    private final CpuSampler cpu;
    private final OtherPrograms others;
    private Edge begin = Edge.UNSEEN;
    private Edge end = Edge.UNSEEN;
    private long lastCpu;
    private int samples;

    /** Counters at one edge of the window. */
    private record Edge(long nanos, MachineTimes machine, double clock, List<Quota> quotas, double resent) {
        static final Edge UNSEEN = new Edge(0, null, Double.NaN, List.of(), Double.NaN);
    }

    Sampler(SystemTree source, CpuGroups groups, Watched watched) {
        this.source = source;
        this.groups = groups;
        this.sockets = new SocketSampler(source, watched);
        this.cpu = new CpuSampler(source, watched);
        this.others = new OtherPrograms(source, watched);
    }

    void first(long now) {
        begin = edge(now);
        others.first();
        sampleCpu(now);
        sample();
    }

    /** Before that, at the sockets alone: under the load of the warm-up. */
    void ahead() {
        sample();
    }

    void next(long now) {
        if (now - lastCpu >= CPU_EVERY_NANOS) {
            sampleCpu(now);
        }
        sample();
    }

    /** Near its end, while all threads are still there. */
    void last(long now) {
        sample();
        sampleCpu(now);
        cpu.settle();
        others.last(now - begin.nanos);
        end = edge(now);
    }

    private void sample() {
        sockets.sample();
        samples++;
    }

    private void sampleCpu(long now) {
        cpu.sample(now);
        lastCpu = now;
    }

    private Edge edge(long now) {
        return new Edge(
                now,
                MachineTimes.parse(source.text("stat").orElse("")),
                MachineTimes.clock(source.text("cpuinfo").orElse("")),
                groups.quotas(),
                sockets.resent());
    }

    Sampled sampled() {
        MachineShare machine = begin.machine == null || end.machine == null
                ? null
                : end.machine.since(
                        begin.machine, cpu.cores(), others.cores(), others.busiest(), end.clock / begin.clock);
        return new Sampled(
                samples,
                cpu.busiest(),
                cpu.waitsKnown(),
                machine,
                CpuGroups.within(begin.quotas, end.quotas),
                sockets.queues(),
                end.resent - begin.resent);
    }
}
