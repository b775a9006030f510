package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.SlowReaders;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.Policy;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What is sent, and for how long. */
final class LoadOptions extends Options {
    static final int MAX_CONNECTIONS = 10_000;
    private static final int MAX_SLOW_READERS = 1_000;
    static final int MAX_WRITE = 64 << 20;
    private static final int MIN_WRITE = 64;

    private static final Duration DURATION = Duration.ofSeconds(10);
    private static final Duration WARMUP = Duration.ofSeconds(3);
    private static final Duration PACED_WARMUP = Duration.ofSeconds(15);
    private static final Duration FOLLOWING_WARMUP = Duration.ofSeconds(3);

    @Option(
            names = "--publishers",
            paramLabel = "P",
            description = "Connections that publish; more than 4 share 4 processes (${DEFAULT-VALUE}).")
    private int publishers = 1;

    @Option(
            names = "--subscribers",
            paramLabel = "S",
            description = "Connections that subscribe; more than 16 share 16 processes (${DEFAULT-VALUE}).")
    private int subscribers = 1;

    @Option(
            names = "--body",
            paramLabel = "SIZES",
            description = "Bytes of every message's body, at least 16: N, or MIN-MAX, every size equally often"
                    + " (${DEFAULT-VALUE}).")
    private String body = "100";

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "Messages a second of each publisher, open loop on a fixed schedule; 0: as fast as it goes"
                    + " (${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--write-size",
            paramLabel = "BYTES",
            description = "Of a publisher's write at full speed; 0: whole segments of the path, about 128 KiB"
                    + " (${DEFAULT-VALUE}).")
    private int writeSize;

    @Option(
            names = "--slow-readers",
            paramLabel = "N",
            description = "Further subscribers that read too slowly on purpose (${DEFAULT-VALUE}).")
    private int slowReaders;

    @Option(
            names = "--slow-reader-rate",
            paramLabel = "BYTES",
            description = "Bytes a second that each of those reads (${DEFAULT-VALUE}).")
    private int slowReaderRate = 1_000_000;

    @Option(
            names = "--slow-reader-policy",
            paramLabel = "POLICY",
            defaultValue = "skip",
            converter = RelayStartOptions.PolicyConverter.class,
            description = "What each of those asks for: disconnect, skip (${DEFAULT-VALUE}).")
    private Policy slowReaderPolicy;

    @Mixin
    private ClientOptions clients;

    @Option(names = "--unix", description = "Unix sockets instead of TCP.")
    private boolean unix;

    @Option(
            names = "--check",
            paramLabel = "WHAT",
            description =
                    "What subscribers check: full, every byte of every message and the order of all; none, they"
                            + " count bytes and do not even walk through the frames, so that they cost least (${DEFAULT-VALUE}).")
    private Check check = Check.FULL;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "Of the measured part: 500ms, 10s, 2m (10s; of a run of compare 2s, with --rate 3s).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            description =
                    "Before each measured part, under the same load (3s, and up to 10s while the speed still grows;"
                            + " with --rate 15s: a JVM that has little to do takes its time to compile it; of a run of"
                            + " compare 4s, the same for both sides, with --rate 2s).")
    private Duration warmup;

    Load load() {
        within("--publishers", publishers, 1, MAX_CONNECTIONS);
        within("--subscribers", subscribers, 1, MAX_CONNECTIONS);
        BodySizes sizes = parsed("--body ", body, BodySizes::parse);
        within("--slow-readers", slowReaders, 0, MAX_SLOW_READERS);
        within("--slow-reader-rate", slowReaderRate, 1, Integer.MAX_VALUE);
        within("--rate", rate, 0, Load.MAX_RATE);
        if (writeSize != 0) {
            within("--write-size", writeSize, MIN_WRITE, MAX_WRITE);
        }
        refuse(
                rate > 0 && writeSize > 0,
                "--write-size and --rate " + rate + " exclude each other: at a fixed rate a write has what is due");
        SlowReaders slow = new SlowReaders(slowReaders, slowReaderRate, slowReaderPolicy);
        Load load = new Load(
                publishers,
                new Load.Audience(subscribers, check, Policy.BACKPRESSURE, slow),
                new Load.Content(sizes, 1),
                rate,
                writeSize,
                unix,
                Clients.RAW);
        return clients.with(load);
    }

    /** What follows on a relay and workers that are warm. */
    Timing followingTiming() {
        return timing(FOLLOWING_WARMUP, DURATION);
    }

    Timing timing() {
        return timing(rate > 0 ? PACED_WARMUP : WARMUP, DURATION);
    }

    /** What is not given is as long as this; a warm-up, at least. */
    Timing timing(Duration usualWarmup, Duration usualDuration) {
        return timing(warmup, usualWarmup, duration == null ? usualDuration : duration);
    }
}
