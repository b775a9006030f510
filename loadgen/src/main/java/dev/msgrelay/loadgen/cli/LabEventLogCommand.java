package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.eventlog.EventLogExperiment;
import dev.msgrelay.loadgen.lab.eventlog.EventLogOptions;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loadgen lab event-log}. */
@Command(
        name = "event-log",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Threads write bursts of events into one file: under a lock, at atomic positions, gathered, in the background,",
            "through a Disruptor. How long a burst takes; and that the file holds every event once, whole."
        })
final class LabEventLogCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private LabRunOptions run;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads that write (as many as cores, at least 4). The article: about "
                    + EventLogOptions.ARTICLE_THREADS + ".")
    private int threads = EventLogOptions.defaultThreads();

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long every go is measured (5s; with --quick 400ms). The article: 60s.")
    private Duration duration;

    @Option(
            names = "--as-printed",
            description =
                    "Show BufferedWritesOffThread closed as in the article as well: it loses events, and is FAILED.")
    private boolean asPrinted;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        Limits.within(spec, "--threads", threads, 1, EventLogOptions.MAX_THREADS);
        EventLogOptions defaults = EventLogOptions.defaults(run.quick());
        Duration time = Limits.duration(spec, duration, defaults.duration());
        return run.run(List.of(new EventLogExperiment(new EventLogOptions(threads, time, asPrinted))));
    }
}
