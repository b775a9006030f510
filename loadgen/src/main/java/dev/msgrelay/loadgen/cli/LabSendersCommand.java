package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.senders.SendersExperiment;
import dev.msgrelay.loadgen.lab.senders.SendersOptions;
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

/** {@code loadgen lab senders}. */
@Command(
        name = "senders",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Sends files to many clients on the loopback interface: a worker for each download, workers that take turns,",
            "blocking or not, an event loop; by transferTo and by copies. Every client digests what it gets."
        })
final class LabSendersCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private LabRunOptions run;

    @Option(
            names = "--clients",
            split = ",",
            paramLabel = "N",
            description = "Clients at a time; several are rows of one table (50,100,200,300; with --quick 16).")
    private List<Integer> clients;

    @Option(
            names = "--limit",
            split = ",",
            paramLabel = "MBPS",
            description = "MB/s at which each client reads, 0 for as fast as it can; a table each (0,1; with --quick 0,"
                    + SendersOptions.QUICK_LIMIT + ").")
    private List<Integer> limits;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Threads of the pool (" + SendersOptions.WORKERS + "; with --quick 4).")
    private Integer workers;

    @Option(
            names = "--socket-buffer",
            paramLabel = "KIB",
            defaultValue = "" + SendersOptions.SOCKET_KILOBYTES,
            description = "Size of every socket's buffers; 0 leaves it to the operating system (${DEFAULT-VALUE}, the"
                    + " article's).")
    private int socketBuffer;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long every go is measured (5s; with --quick 250ms). The article: 10m.")
    private Duration duration;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        SendersOptions defaults = SendersOptions.defaults(run.quick());
        SendersOptions options = new SendersOptions(
                clients == null ? defaults.clients() : clients,
                limits == null ? defaults.limits() : limits,
                workers == null ? defaults.workers() : workers,
                socketBuffer,
                defaults.files(),
                Limits.duration(spec, duration, defaults.duration()));
        options.clients().forEach(n -> Limits.within(spec, "--clients", n, 1, SendersOptions.MAX_CLIENTS));
        options.limits().forEach(limit -> Limits.within(spec, "--limit", limit, 0, SendersOptions.MAX_LIMIT));
        Limits.within(spec, "--workers", options.workers(), 1, SendersOptions.MAX_WORKERS);
        Limits.within(spec, "--socket-buffer", socketBuffer, 0, SendersOptions.MAX_SOCKET_KILOBYTES);
        return run.run(List.of(new SendersExperiment(options)));
    }
}
