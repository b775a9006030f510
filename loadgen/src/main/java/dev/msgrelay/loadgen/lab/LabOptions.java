package dev.msgrelay.loadgen.lab;

import java.nio.file.Path;

/**
 * What all experiments share.
 *
 * @param quick a short run for a look, not for the record: about 25 s an experiment
 * @param rounds how often every contestant is measured, after the warm-up
 * @param directory where temporary files go
 */
public record LabOptions(boolean quick, int rounds, Path directory) {
    /** Of a full run. */
    public static final int ROUNDS = 5;

    /** Of a quick one: the least that has a median. */
    public static final int QUICK_ROUNDS = 3;

    public static final int MAX_ROUNDS = 101;

    public static int defaultRounds(boolean quick) {
        return quick ? QUICK_ROUNDS : ROUNDS;
    }
}
