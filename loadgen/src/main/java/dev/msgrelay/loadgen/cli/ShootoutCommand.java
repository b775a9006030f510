package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.Meter;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.loadgen.lane.LinkBaseline;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.ResultFiles;
import dev.msgrelay.loadgen.report.ResultsText;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.run.RemoteRelay;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.shootout.Equipment;
import dev.msgrelay.loadgen.shootout.Matrix;
import dev.msgrelay.loadgen.shootout.ShootoutRun;
import dev.msgrelay.loadgen.shootout.ShootoutSettings;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Door;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Sides;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Yardsticks;
import dev.msgrelay.loadgen.worker.Access;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen shootout}: lanes against each other and against their ceilings. */
@Command(
        name = "shootout",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures what a relay gets through several lanes, in turn, each result beside what the lane could give.",
            "Lanes that cannot be set up are skipped. docs/measuring.md says how to read the result. Exits 1 when a run"
                    + " was invalid or did not come to its end."
        })
final class ShootoutCommand extends Told {
    private static final int MAX_ROUNDS = 101;
    private static final int USUAL_ROUNDS = 3;

    /** At a fixed rate a JVM takes its time to compile what it runs, and a schedule and a p99 see that. */
    private static final Duration PACED_WARMUP = Duration.ofSeconds(10);

    @Mixin
    private LaneOptions laneOptions;

    @Mixin
    private MatrixOptions matrixOptions;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often everything runs; every round goes through all lanes and loads (3).")
    private Integer rounds;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "3s",
            description = "Of each run's measured part (${DEFAULT-VALUE}).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            description =
                    "Before the measured part, under the same load (8s, and up to 10s while the speed still grows; with --rate"
                            + " or --find-max-rate 10s).")
    private Duration warmup;

    @Option(
            names = "--no-calibrate",
            description = "Do not measure, in every round, the ceilings of lanes without a line rate.")
    private boolean noCalibrate;

    @Option(
            names = "--baseline",
            description = "In every round, measure what lanes with a link give without a relay: a plain sender of"
                    + " this tool, and iperf3 where it is installed.")
    private boolean baseline;

    @Mixin
    private RelayStartOptions relayOptions;

    @Option(
            names = "--tls",
            description = "Publishers and subscribers speak TLS 1.3, on every lane of --lanes, with a key and a"
                    + " certificate that are made for it. Not on unix. Ceilings are those without TLS.")
    private boolean tls;

    @Option(
            names = "--publish-over",
            paramLabel = "HOW",
            description = "How publishers beside the relay reach it on lanes with two sides: unix, the fast path of one"
                    + " host, or tcp (unix).")
    private PublishOver publishOver;

    /** How publishers reach a relay beside them. */
    enum PublishOver {
        TCP(Door.TCP),
        UNIX(Door.UNIX);

        private final Door door;

        PublishOver(Door door) {
            this.door = door;
        }
    }

    @Option(
            names = "--connect",
            paramLabel = "NAME=HOST",
            description = "A lane NAME more: the relay of that host, HOST or HOST:PORT; repeatable.")
    private Map<String, String> connect = new LinkedHashMap<>();

    @Option(
            names = "--link",
            paramLabel = "SPEED",
            description = "Link to the relays of --connect: 1gbe, 10gbe, 25gbe, or a number of Mbit/s.")
    private String link;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write results.json and report.html there, anew after every run; the"
                    + " directory is made, and may hold no other results.")
    private Path directory;

    @Option(names = "--json", description = "Print the results as JSON instead of tables.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        ShootoutSettings settings = settings();
        // stderr: stdout may be JSON
        err().println(ShootoutRun.summary(settings));
        err().flush();
        ShootoutRun.Kept files = directory == null ? results -> {} : ResultFiles.in(directory)::write;
        Map<String, RemoteRelay> remotes = remotes();
        Link far = link == null ? null : parsed("--link: ", link, ConnectOptions::link);
        Equipment equipment = new Equipment(
                new HostRig(),
                spec -> spec.kind() == LaneKind.REMOTE ? remote(spec, remotes, far) : Lanes.open(spec),
                lane -> lane.spec().kind() == LaneKind.REMOTE
                        ? remotes.get(lane.spec().name())
                        : relay(lane, settings.sides()),
                LinkBaseline::iperf3);
        ShootoutRun run;
        try (Interrupts interrupts = Interrupts.watch();
                ProgressLine lines = ProgressLine.onStderr(err())) {
            Meter meter = Meter.ofThisHost(interrupts);
            run = new ShootoutRun(settings, equipment, meter, lines, files, origin(), List.of(Site.here()));
            try {
                run.run();
            } finally {
                lines.end();
                print(run);
            }
        }
        return isGood(run) ? 0 : 1;
    }

    /** Whatever it gave, however it ended. */
    private void print(ShootoutRun run) throws IOException {
        if (json) {
            print(run.results());
            return;
        }
        String where = run.isUnwritten()
                ? "results could not be written to " + directory
                : "results are in " + directory + ": report.html, results.json";
        print(ResultsText.of(run.results()) + (directory == null ? "" : where + "\n"));
    }

    private static boolean isGood(ShootoutRun run) {
        return run.results().ending().how() == Ending.How.COMPLETE && !run.isUnwritten() && !run.hasFailures();
    }

    private ShootoutSettings settings() {
        int times = rounds == null ? USUAL_ROUNDS : rounds;
        within("--rounds", times, 1, MAX_ROUNDS);
        Matrix matrix = matrixOptions.matrix();
        // Arguments that the relay refuses are told now, and not when ceilings have been measured.
        relayOptions.arguments(null);
        Timing timing = timing(warmup, usualWarmup(), duration);
        refuse(link != null && connect.isEmpty(), "--link needs --connect");
        List<LaneSpec> lanes = new ArrayList<>(laneOptions.specs());
        remotes().keySet().forEach(name -> lanes.add(LaneSpec.remote(name)));
        if (lanes.stream().noneMatch(LaneSpec::isEmulated)) {
            checkTogether(lanes);
        }
        checkTls(lanes);
        long cells = matrix.size() * lanes.size();
        refuse(
                cells > ShootoutSettings.MAX_CELLS,
                ShortText.counted(lanes.size(), "lane") + " of " + matrix.size() + " combinations are " + cells
                        + " cells, over the limit of " + ShootoutSettings.MAX_CELLS + ": shorten a list");
        List<Load> loads =
                matrix.loads().stream().map(load -> tls ? load.withTls() : load).toList();
        return new ShootoutSettings(lanes, loads, times, timing, sides(), new Yardsticks(!noCalibrate, baseline));
    }

    private Duration usualWarmup() {
        return matrixOptions.isPaced() ? PACED_WARMUP : Timing.FULL_SPEED_WARMUP;
    }

    /** Lanes whose two ends are one and the same have no use for what tells them apart. */
    private void checkTogether(List<LaneSpec> lanes) {
        String titles = lanes.stream().map(lane -> lane.kind().title()).collect(Collectors.joining(","));
        refuse(baseline, "--baseline needs a lane with a link: an emulated one, not --lanes " + titles);
        for (String option : List.of("--publishers-at", "--subscribers-at", "--publish-over")) {
            refuse(laneOptions.isGiven(option), option + " needs a lane with two sides, not --lanes " + titles);
        }
    }

    /** Unix sockets have no TLS. */
    private void checkTls(List<LaneSpec> lanes) {
        refuse(
                tls && lanes.stream().anyMatch(lane -> lane.kind() == LaneKind.UNIX),
                "--tls and lane unix exclude each other: give --lanes");
        refuse(tls && publishOver == PublishOver.UNIX, "--tls and --publish-over unix exclude each other");
    }

    private Sides sides() {
        Door usual = tls ? Door.TCP : Door.UNIX;
        Door door = publishOver == null ? usual : publishOver.door;
        Sides sides = laneOptions.sides(door);
        boolean far = sides.publishers() == End.FAR;
        refuse(
                far && publishOver == PublishOver.UNIX,
                "--publish-over unix and --publishers-at far exclude each other");
        return sides;
    }

    /** Relays that run already, by the names of their lanes. */
    private Map<String, RemoteRelay> remotes() {
        Map<String, RemoteRelay> remotes = new LinkedHashMap<>();
        connect.forEach((name, host) -> {
            refuse(
                    !name.matches("[A-Za-z0-9._-]+") || isLane(name),
                    "--connect " + name + "=" + host
                            + ": a lane's name has letters, digits, '.', '_' and '-', and is no"
                            + " lane of this host");
            Access access = new Access(tls, null, null, null, null, null);
            Endpoint publish = parsed("--connect: ", host, text -> ConnectOptions.publish(text, tls));
            remotes.put(
                    name,
                    new RemoteRelay(
                            publish,
                            parsed("--connect: ", host, text -> ConnectOptions.oneBelow(publish)),
                            relayOptions.isGiven("--slow-subscriber") ? relayOptions.policy() : null,
                            access,
                            ConnectOptions.CONNECT_TIMEOUT,
                            null));
        });
        return remotes;
    }

    /** One that is not there is a lane whose runs fail, and say why. */
    private static Lane remote(LaneSpec spec, Map<String, RemoteRelay> remotes, Link link) throws InterruptedException {
        try {
            remotes.put(spec.name(), remotes.get(spec.name()).checked());
        } catch (RunException e) {
            // Each of its runs knocks again.
        }
        return Lane.between(spec, dev.msgrelay.loadgen.site.Site.HERE, dev.msgrelay.loadgen.site.Site.HERE, link);
    }

    private static boolean isLane(String name) {
        return Stream.of(LaneKind.values()).anyMatch(kind -> kind.title().equals(name));
    }

    /** Packets of the relay's log fit the lane's link. */
    private Contestant relay(Lane lane, Sides sides) {
        Integer mtu = lane.link() == null ? null : lane.link().format().mtu();
        return new RelayContestant(
                relayOptions.arguments(mtu), relayOptions.jvmOptions(), sides.publishOverUnix(lane), null);
    }
}
