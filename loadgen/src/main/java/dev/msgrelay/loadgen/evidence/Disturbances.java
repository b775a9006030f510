package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import java.util.ArrayList;
import java.util.List;

/**
 * Detects events on the machine that make a run's figures meaningless. A pause of the contestant is not such an event,
 * since otherwise its worst runs would not count.
 */
public final class Disturbances {
    /** The limit of the share of all cores that other programs use. The kernel's accounting error may be half of it. */
    private static final double OTHERS = 0.1;

    private static final double STEAL = 0.02;
    /** By how much the cores' clock frequency may change during a run, relative to its value at the begin. */
    private static final double CLOCK = 0.1;

    private Disturbances() {}

    public static List<String> of(Signals signals) {
        List<String> lines = new ArrayList<>();
        MachineShare machine = signals.sampled().machine();
        if (machine.others() >= OTHERS) {
            lines.add(format("other programs took %.0f %% of all cores", machine.others() * 100)
                    + (machine.busiest().isEmpty() ? "" : ", most of it " + machine.busiest()));
        }
        if (machine.steal() >= STEAL) {
            lines.add(format("the host of this virtual machine took %.1f %% of all cores", machine.steal() * 100));
        }
        if (Math.abs(machine.clock() - 1) > CLOCK) {
            lines.add(format("the cores' clock was %.0f %% of what it had been at the begin", machine.clock() * 100));
        }
        Quota quota = signals.sampled().quota();
        if (quota != null && quota.throttled() > 0) {
            lines.add("the CPU quota of " + quota.group() + ", " + quota.text());
        }
        if (signals.still().machine().count() > 0) {
            lines.add(format(
                    "the machine kept a process that only sleeps from running for %.0f ms",
                    signals.still().machine().longestMillis()));
        }
        return lines;
    }
}
