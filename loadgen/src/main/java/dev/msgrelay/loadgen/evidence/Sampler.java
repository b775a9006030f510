package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.host.CpuGroups;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.server.host.SystemTree;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Takes the samples of one window, at times that the caller chooses. Only one thread uses it. */
final class Sampler {
    /** Time between two samples of threads, which cost more than those of sockets, as a JVM has dozens of threads. */
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

    /** Counters at the begin or the end of the window. */
    private record Edge(long nanos, Optional<MachineTimes> machine, double clock, List<Quota> quotas, double resent) {
        static final Edge UNSEEN = new Edge(0, Optional.empty(), Double.NaN, List.of(), Double.NaN);
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
        sampleSockets();
    }

    void next(long now) {
        if (now - lastCpu >= CPU_EVERY_NANOS) {
            sampleCpu(now);
        }
        sampleSockets();
    }

    /** Takes the last sample, while all threads still exist. */
    void last(long now) {
        sampleSockets();
        sampleCpu(now);
        cpu.settle();
        others.last(now - begin.nanos);
        end = edge(now);
    }

    void sampleSockets() {
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
        MachineShare machine = begin.machine
                .flatMap(before -> end.machine.map(after ->
                        after.since(before, cpu.cores(), others.cores(), others.busiest(), end.clock / begin.clock)))
                .orElse(MachineShare.UNSEEN);
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
