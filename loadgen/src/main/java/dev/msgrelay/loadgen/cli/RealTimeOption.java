package dev.msgrelay.loadgen.cli;

import picocli.CommandLine.Option;

/** Whether publishers of a fixed rate may run before others. */
final class RealTimeOption {
    @Option(
            names = "--real-time",
            description =
                    "At a fixed rate: publishers ask for real-time priority, and that no core falls asleep meanwhile, up"
                            + " to a million messages a second and with fewer processes than cores. 'run' measures both ways, side by"
                            + " side. The report says whether the system let them (Linux: root does). It changes the relay's own"
                            + " wake-ups too: who has no root gets the figures without it.")
    private boolean wanted;

    /** What is the default now was asked for by this. */
    @Option(names = "--no-real-time", hidden = true)
    private boolean refused;

    boolean isWanted() {
        return wanted && !refused;
    }
}
