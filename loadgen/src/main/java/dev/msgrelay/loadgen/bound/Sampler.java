package dev.msgrelay.loadgen.bound;

import dev.msgrelay.loadgen.bound.Sampled.MachineShare;
import dev.msgrelay.loadgen.bound.Sampled.TcpSegments;
import dev.msgrelay.loadgen.host.SystemTree;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Takes samples when told to, at times that it is told. One thread. */
final class Sampler {
    /** Threads are looked at so seldom: there are dozens in each JVM, and their times add up by themselves. */
    private static final long CPU_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final SystemTree source;
    private final SocketSampler sockets;
    private final CpuSampler cpu;
    private final OtherPrograms others;
    private double clockBefore = Double.NaN;
    private double clockAfter = Double.NaN;
    private long begun;
    private Optional<MachineTimes> machineBefore = Optional.empty();
    private Optional<MachineTimes> machineAfter = Optional.empty();
    private TcpSegments segmentsBefore = TcpSegments.NONE;
    private TcpSegments segmentsAfter = TcpSegments.NONE;
    private long lastCpu;
    private int samples;

    Sampler(SystemTree source, Watched watched) {
        this.source = source;
        this.sockets = new SocketSampler(source, watched);
        this.cpu = new CpuSampler(source, watched);
        this.others = new OtherPrograms(source, watched);
    }

    /** At the begin of the window. */
    void first(long now) {
        machineBefore = machine();
        segmentsBefore = segments();
        clockBefore = clock();
        others.first();
        begun = now;
        sampleCpu(now);
        sample();
    }

    /** Before that, at the sockets alone: under the load of the warm-up. */
    void ahead() {
        sample();
    }

    /** Every now and then within it. */
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
        others.last(now - begun);
        segmentsAfter = segments();
        machineAfter = machine();
        clockAfter = clock();
    }

    private void sample() {
        sockets.sample();
        samples++;
    }

    private void sampleCpu(long now) {
        cpu.sample(now);
        lastCpu = now;
    }

    private Optional<MachineTimes> machine() {
        return source.text("stat").flatMap(MachineTimes::parse);
    }

    private double clock() {
        return MachineTimes.clock(source.text("cpuinfo").orElse(""));
    }

    private TcpSegments segments() {
        TcpSegments sum = TcpSegments.NONE;
        for (long pid : sockets.representatives()) {
            sum = sum.plus(
                    source.text(pid + "/net/snmp").flatMap(TcpSegments::parse).orElse(TcpSegments.NONE));
        }
        return sum;
    }

    /** What it came to, after {@link #last}. */
    Sampled sampled() {
        MachineShare machine = machineBefore.isPresent() && machineAfter.isPresent()
                ? machineAfter
                        .get()
                        .since(
                                machineBefore.get(),
                                cpu.cores(),
                                others.cores(),
                                others.busiest(),
                                clockAfter / clockBefore)
                : null;
        return new Sampled(
                samples,
                cpu.busiest(),
                cpu.waitsKnown(),
                machine,
                sockets.queues(),
                segmentsAfter.minus(segmentsBefore));
    }
}
