package dev.msgrelay.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * One article's experiment.
 *
 * @param name as on the command line
 * @param question in a line
 * @param article its title and year
 * @param conditions the author's machine and network, as far as the article tells
 * @param tables the measurements, in order; asking for them starts nothing
 * @param end ends the processes that goes share; called once after the last go
 */
public record Experiment(
        String name,
        String question,
        String article,
        String conditions,
        Needs needs,
        Supplier<List<LabTable>> tables,
        Runnable end) {
    /**
     * The wishes of a command line.
     *
     * @param rounds how often every contestant is measured, after the warm-up
     * @param duration of one go; null leaves it to the experiment
     * @param sizes of files, in MB; null leaves them to the experiment
     * @param directory for temporary files
     */
    public record Settings(boolean quick, int rounds, Duration duration, List<Integer> sizes, Path directory) {
        public Duration duration(Duration normal, Duration quickly) {
            return duration != null ? duration : quick ? quickly : normal;
        }
    }
}
