package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.batching.BatchingExperiment;
import dev.msgrelay.loadgen.lab.batching.BatchingOptions;
import dev.msgrelay.loadgen.lab.batching.Wait;
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

/** {@code loadgen lab batching}. */
@Command(
        name = "batching",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Smart batching: one write a message under a lock; a queue and a batching thread; the Disruptor; the relay.",
            "A burst to a device of 100 us; threads that send as fast as they can; load that grows; the queue alone."
        })
final class LabBatchingCommand implements Callable<Integer> {
    private static final int MAX_BODY = 1_000_000;
    private static final int MAX_PACKET = 4 << 20;
    private static final int MAX_PRODUCERS = 1_000;
    private static final int MAX_LOAD = 100_000_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LabRunOptions run;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            description = "Bytes of every message's body (" + BatchingOptions.BODY + ").")
    private int body = BatchingOptions.BODY;

    @Option(
            names = "--packet",
            paramLabel = "BYTES",
            description = "Most bytes of a packet, frames whole (" + BatchingOptions.PACKET
                    + ", which fits Ethernet; 65483 fits loopback). The relay chooses by itself.")
    private int packet = BatchingOptions.PACKET;

    @Option(
            names = "--wait",
            paramLabel = "HOW",
            description = "How batching threads wait: block (default) or yield. The relay always sleeps.")
    private Wait wait = Wait.BLOCK;

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description = "How many threads send as fast as they can (1,2,4,8,16).")
    private List<Integer> producers;

    @Option(
            names = "--load",
            paramLabel = "RATE",
            split = ",",
            description =
                    "Messages a second that arrive, in growing order" + " (10000,50000,100000,200000,400000,800000).")
    private List<Integer> loads;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Of one go over sockets (1s; with --quick 150ms).")
    private Duration duration;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        return run.run(List.of(new BatchingExperiment(options())));
    }

    private BatchingOptions options() {
        BatchingOptions defaults = BatchingOptions.defaults(run.quick());
        BatchingOptions options = new BatchingOptions(
                body,
                packet,
                wait,
                producers == null ? defaults.producers() : producers,
                loads == null ? defaults.loads() : loads,
                duration == null ? defaults.duration() : duration);
        Limits.within(spec, "--body", body, BatchingOptions.minBody(), MAX_BODY);
        Limits.within(spec, "--packet", packet, options.frameLength(), MAX_PACKET);
        for (int threads : options.producers()) {
            Limits.within(spec, "--threads", threads, 1, MAX_PRODUCERS);
        }
        int least = BatchingOptions.ARRIVING;
        for (int load : options.loads()) {
            Limits.within(spec, "--load", load, least, MAX_LOAD);
            least = load + 1;
        }
        Limits.shortDuration(spec, duration, options.duration());
        return options;
    }
}
