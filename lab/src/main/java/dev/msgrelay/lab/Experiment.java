package dev.msgrelay.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * An experiment of one article, which is repeated on this machine.
 *
 * @param conditions the author's machine and network, if the article describes them
 * @param tables returns the measurements, in order, without starting them
 * @param end ends processes that several goes use; it is called once, after the last go
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
     * The options of the command line.
     *
     * @param rounds how often every contestant is measured after the warm-up
     * @param duration length of one go; null: the experiment's default
     * @param sizes sizes of files in MB; null: the experiment's default
     */
    public record Settings(boolean quick, int rounds, Duration duration, List<Integer> sizes, Path directory) {
        public Duration duration(Duration normal, Duration quickly) {
            return duration != null ? duration : quick ? quickly : normal;
        }
    }
}
