package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.readers.ReaderOptions;
import dev.msgrelay.loadgen.lab.readers.ReadersExperiment;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loadgen lab readers}. */
@Command(
        name = "readers",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Clients of a framed stream: from reading byte by byte to handing over a buffer; and the relay's client.",
            "Each client is a JVM of its own; the sender is another one, at the far end of the lane."
        })
final class LabReadersCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private LabRunOptions run;

    @Option(
            names = "--lane",
            paramLabel = "NAME",
            split = ",",
            description = "Over which: loopback, 1gbe, 10gbe, 25gbe (the first three, as far as they can be had here;"
                    + " see 'loadgen lanes').")
    private List<String> lanes;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            description = "Bytes of every message's body (" + ReaderOptions.BODY + ").")
    private int body = ReaderOptions.BODY;

    @Option(
            names = "--write-size",
            paramLabel = "BYTES",
            description = "Bytes of the sender's writes; 0 for whole segments, about 256 KiB (0).")
    private int writeSize;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Of one go (1s; with --quick 100ms).")
    private Duration duration;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        return run.run(List.of(new ReadersExperiment(options())));
    }

    private ReaderOptions options() {
        Limits.within(spec, "--body", body, ReaderOptions.MIN_BODY, ReaderOptions.MAX_BODY);
        Limits.within(spec, "--write-size", writeSize, 0, ReaderOptions.MAX_WRITE);
        Duration time = Limits.shortDuration(spec, duration, ReaderOptions.defaultDuration(run.quick()));
        return new ReaderOptions(body, writeSize, lanes(), lanes != null, time);
    }

    private List<LaneSpec> lanes() {
        if (lanes == null) {
            return ReaderOptions.defaultLanes();
        }
        List<LaneSpec> specs = new ArrayList<>();
        for (String name : lanes) {
            specs.add(lane(name));
        }
        return specs;
    }

    private LaneSpec lane(String name) {
        try {
            LaneSpec lane = LaneSpec.parse(name);
            if (lane.kind() == LaneKind.REMOTE || lane.kind() == LaneKind.UNIX) {
                throw new IllegalArgumentException("lane '" + name + "' is none that the article's clients can read");
            }
            return lane;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--lane: " + e.getMessage(), e);
        }
    }
}
