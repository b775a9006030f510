package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.SlowPolicy;
import dev.msgrelay.loadgen.run.SlowReaders;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.FrameLayout;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What is sent, and for how long. */
final class LoadOptions {
    private static final int MAX_CONNECTIONS = 10_000;
    private static final int MAX_SLOW_READERS = 1_000;
    private static final int MAX_RATE = 10_000_000;
    private static final int MAX_WRITE = 64 << 20;
    private static final int MIN_WRITE = 64;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--publishers",
            paramLabel = "P",
            defaultValue = "1",
            description = "Connections that publish; more than 4 share 4 processes (${DEFAULT-VALUE}).")
    private int publishers;

    @Option(
            names = "--subscribers",
            paramLabel = "S",
            defaultValue = "1",
            description = "Connections that subscribe; more than 16 share 16 processes (${DEFAULT-VALUE}).")
    private int subscribers;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes of every message's body, at least 16 (${DEFAULT-VALUE}).")
    private int body;

    @Option(
            names = "--rate",
            paramLabel = "R",
            defaultValue = "0",
            description = "Messages a second of each publisher, open loop on a fixed schedule; 0: as fast as it goes"
                    + " (${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--write-size",
            paramLabel = "BYTES",
            defaultValue = "0",
            description = "Of a publisher's write at full speed; 0: four segments of the path (${DEFAULT-VALUE}).")
    private int writeSize;

    @Option(
            names = "--slow-readers",
            paramLabel = "N",
            defaultValue = "0",
            description = "Further subscribers that read too slowly on purpose (${DEFAULT-VALUE}).")
    private int slowReaders;

    @Option(
            names = "--slow-reader-rate",
            paramLabel = "BYTES",
            defaultValue = "1000000",
            description = "Bytes a second that each of those reads (${DEFAULT-VALUE}).")
    private int slowReaderRate;

    @Option(
            names = "--slow-reader-policy",
            paramLabel = "POLICY",
            defaultValue = "skip",
            description = "What each of those asks for: disconnect, skip (${DEFAULT-VALUE}).")
    private SlowPolicy slowReaderPolicy;

    @Option(names = "--unix", description = "Unix sockets instead of TCP.")
    private boolean unix;

    @Option(names = "--count-only", description = "Subscribers check nothing and only count.")
    private boolean countOnly;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "Of the measured part: 500ms, 10s, 2m (${DEFAULT-VALUE}).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "3s",
            converter = DurationConverter.class,
            description = "Before the measured part, under the same load (${DEFAULT-VALUE}).")
    private Duration warmup;

    boolean unix() {
        return unix;
    }

    /**
     * @throws ParameterException naming the value and its limits
     */
    Load load() {
        Limits.within(spec, "--publishers", publishers, 1, MAX_CONNECTIONS);
        Limits.within(spec, "--subscribers", subscribers, 1, MAX_CONNECTIONS);
        Limits.within(spec, "--body", body, LoadMessage.MIN_BODY, FrameLayout.MAX_MAX_BODY);
        Limits.within(spec, "--rate", rate, 0, MAX_RATE);
        if (writeSize != 0) {
            Limits.within(spec, "--write-size", writeSize, MIN_WRITE, MAX_WRITE);
        }
        Limits.within(spec, "--slow-readers", slowReaders, 0, MAX_SLOW_READERS);
        Limits.within(spec, "--slow-reader-rate", slowReaderRate, 1, Integer.MAX_VALUE);
        SlowReaders slow = new SlowReaders(slowReaders, slowReaderRate, slowReaderPolicy);
        return new Load(publishers, subscribers, body, rate, !countOnly, writeSize, unix, slow);
    }

    /**
     * @throws ParameterException naming the value and its limits
     */
    Timing timing() {
        return Limits.timing(spec, warmup, duration);
    }
}
