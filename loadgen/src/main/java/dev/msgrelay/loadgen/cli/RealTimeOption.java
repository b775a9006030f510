package dev.msgrelay.loadgen.cli;

import picocli.CommandLine.Option;

/** Whether publishers of a fixed rate may run before others. */
final class RealTimeOption {
    static final String NAME = "--no-real-time";

    @Option(
            names = NAME,
            description = "At a fixed rate: publishers do not ask for real-time priority, nor that no core falls asleep"
                    + " meanwhile. Otherwise they do, up to a million messages a second and with fewer processes than cores,"
                    + " and the report says whether the system let them (Linux: root does).")
    private boolean usualPriority;

    boolean isAllowed() {
        return !usualPriority;
    }
}
