package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.asyncfiles.AsyncFilesExperiment;
import dev.msgrelay.loadgen.lab.asyncfiles.AsyncFilesOptions;
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

/** {@code loadgen lab async-files}. */
@Command(
        name = "async-files",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "One thread writes small records into a file: by a plain stream, and by an asynchronous channel with the JDK's",
            "pool and with a fixed one, waiting for each write and not."
        })
final class LabAsyncFilesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private LabRunOptions run;

    @Option(names = "--pool", paramLabel = "N", description = "Threads of the fixed pool (as many as cores).")
    private int pool = AsyncFilesOptions.defaultPool();

    @Option(
            names = "--outstanding",
            paramLabel = "N",
            defaultValue = "" + AsyncFilesOptions.OUTSTANDING,
            description = "Writes on their way at most, where nobody waits for them (${DEFAULT-VALUE}).")
    private int outstanding;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long every go writes (1s, as in the article; with --quick 400ms).")
    private Duration duration;

    @Option(
            names = "--close-at-once",
            description = "Show one that closes the channel without waiting as well: it loses data, and is FAILED.")
    private boolean closeAtOnce;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        Limits.within(spec, "--pool", pool, 1, AsyncFilesOptions.MAX_POOL);
        Limits.within(spec, "--outstanding", outstanding, 1, AsyncFilesOptions.MAX_OUTSTANDING);
        AsyncFilesOptions defaults = AsyncFilesOptions.defaults(run.quick());
        Duration time = Limits.duration(spec, duration, defaults.duration());
        AsyncFilesOptions options = new AsyncFilesOptions(pool, outstanding, time, closeAtOnce);
        return run.run(List.of(new AsyncFilesExperiment(options)));
    }
}
