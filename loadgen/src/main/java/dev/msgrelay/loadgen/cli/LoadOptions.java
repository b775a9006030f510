package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Load.SlowReaders;
import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.net.CongestionControl;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options for a run's load, lane and times. */
final class LoadOptions extends Options {
    static final int MAX_CONNECTIONS = 10_000;
    private static final int MAX_SLOW_READERS = 1_000;

    private static final int SLOW_BYTES_PER_SECOND = 1_000_000;

    @Option(
            names = "--lane",
            paramLabel = "LANE",
            description = "Path of the messages: loopback, unix, or an emulated 1gbe, 10gbe, 25gbe (loopback).")
    private LaneKind lane = LaneKind.LOOPBACK;

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
            description = "Bytes of each body, 16 or more: N, or MIN-MAX with all sizes alike; 1k is 1,024"
                    + " (${DEFAULT-VALUE}).")
    private String body = "100";

    @Option(
            names = "--types",
            paramLabel = "N",
            converter = Thousands.class,
            description =
                    "Messages carry the types 1 to N: each once, then at random; up to 1M. 1: all carry type 19527"
                            + " (${DEFAULT-VALUE}).")
    private int types = 1;

    @Option(
            names = "--rate",
            paramLabel = "R",
            converter = Thousands.class,
            description = "Messages a second of each publisher, on a fixed schedule; 20k is 20,000; 0: full speed (0).")
    private int rate;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description =
                    "Length of each measured part: 500ms, 10s, 2m (a few seconds; a single rate 10s; 4 intervals).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            description = "Time before each measured part, under the same load (a few seconds).")
    private Duration warmup;

    @Option(
            names = "--client",
            paramLabel = "KIND",
            description = "Clients: raw, loadgen's own; or library, the classes of relay-client (${DEFAULT-VALUE}).")
    private Clients.Kind kind = Clients.Kind.RAW;

    @Option(
            names = "--ack",
            paramLabel = "LEVEL",
            description = "With --client library, publishers wait for: none, stream, written, forced (none).")
    private Clients.Ack ack = Clients.Ack.NONE;

    @Option(names = "--tls", description = "Clients of relay-client speak TLS 1.3; a local relay gets a certificate.")
    private boolean tls;

    @Option(
            names = "--check",
            paramLabel = "HOW",
            description = "Subscribers check every byte and the order (full), or only count bytes (none) (full).")
    private Check check = Check.FULL;

    @Option(
            names = "--slow-readers",
            paramLabel = "N",
            description = "Further subscribers that read only 1 MB/s (${DEFAULT-VALUE}).")
    private int slowReaders;

    LaneKind lane() {
        return lane;
    }

    /**
     * Returns the load. Its slow readers request the policy {@code disconnect} if that is {@code policy}, and the
     * policy {@code skip} otherwise.
     */
    Load load(Policy policy) {
        within("--publishers", publishers, 1, MAX_CONNECTIONS);
        within("--subscribers", subscribers, 1, MAX_CONNECTIONS);
        BodySizes sizes = parsed("--body ", body, BodySizes::parse);
        within("--types", types, 1, SizeTable.MAX_TYPES);
        within("--rate", rate, 0, Load.MAX_RATE);
        within("--slow-readers", slowReaders, 0, MAX_SLOW_READERS);
        boolean unix = lane == LaneKind.UNIX;
        refuse(tls && unix, "--tls and --lane unix exclude each other");
        boolean raw = kind == Clients.Kind.RAW;
        refuse(tls && raw && isGiven("--client"), "--tls and --client raw exclude each other");
        refuse(ack.isAsked() && raw && !tls, "--ack " + ack + " needs --client library");
        Policy slow = policy == Policy.DISCONNECT ? policy : Policy.SKIP;
        Load load = new Load(
                publishers,
                subscribers,
                sizes,
                types,
                rate,
                unix ? Transport.UNIX : lane.isEmulated() && !tls ? Transport.UNIX_IN : Transport.TCP,
                new Clients(kind, ack, false),
                check,
                policy,
                new SlowReaders(slowReaders, SLOW_BYTES_PER_SECOND, slow),
                CongestionControl.SYSTEM,
                false,
                0);
        return tls ? load.withTls() : load;
    }

    Timing timing(Duration usualWarmup, Duration usualDuration) {
        return timing(warmup, usualWarmup, duration == null ? usualDuration : duration);
    }
}
