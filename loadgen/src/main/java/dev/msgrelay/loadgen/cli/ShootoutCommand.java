package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.ShootoutRun;
import dev.msgrelay.loadgen.experiment.ShootoutRun.Equipment;
import dev.msgrelay.loadgen.experiment.ShootoutRun.Shootout;
import dev.msgrelay.loadgen.experiment.Way;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.report.LaneSummary;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.ResultFiles;
import dev.msgrelay.loadgen.report.ResultsText;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.rig.AdminPort;
import dev.msgrelay.loadgen.rig.RemoteRelay;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen shootout}: measures a relay over several lanes, and compares each with its ceiling. */
@ShortHelp(
        examples = {
            "loadgen shootout",
            "loadgen shootout --lanes loopback,10gbe --rounds 5 --out results",
            "loadgen shootout --connect a=10.1.0.5,link=1gbe --connect b=10.10.0.5"
        },
        options = {
            "Lanes: --lanes --connect --link",
            "The load: --publishers --subscribers --body --rate",
            "The result: --rounds --out --json"
        })
@Command(
        name = "shootout",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures what a relay gets through several lanes, in turn, each result beside what the lane could give.",
            "Lanes that cannot be set up are skipped. docs/measuring.md says how to read the result."
        })
final class ShootoutCommand extends PrintingCommand {
    private static final int MAX_ROUNDS = 101;
    private static final String LINK = "link";
    private static final String ADMIN = "admin";
    /** Warm-up of each run. It is long, since a busy relay starts a second event loop, and then compiles again. */
    private static final Duration WARMUP = Duration.ofSeconds(10);

    @Option(
            names = "--lanes",
            paramLabel = "LANE",
            split = ",",
            defaultValue = "loopback,unix,1gbe,10gbe",
            description = "Lanes to compare: loopback, unix, or an emulated 1gbe, 10gbe, 25gbe (${DEFAULT-VALUE}).")
    private List<String> lanes = new ArrayList<>();

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            split = ",",
            description = "MTU of emulated links, a lane for each: a list like 1500,9000 (1500).")
    private List<Integer> mtus = new ArrayList<>();

    @Option(
            names = "--body",
            paramLabel = "SIZES",
            split = ",",
            defaultValue = "100",
            description = "Bytes of each body, 16 or more: a list of N, or of MIN-MAX (${DEFAULT-VALUE}).")
    private List<String> bodies = new ArrayList<>();

    @Option(
            names = "--publishers",
            paramLabel = "P",
            split = ",",
            defaultValue = "1",
            description = "Connections that publish: a list like 1,4 (${DEFAULT-VALUE}).")
    private List<Integer> publishers = new ArrayList<>();

    @Option(
            names = "--subscribers",
            paramLabel = "S",
            split = ",",
            defaultValue = "1",
            description = "Connections that subscribe: a list like 1,8,64 (${DEFAULT-VALUE}).")
    private List<Integer> subscribers = new ArrayList<>();

    @Option(
            names = "--rate",
            paramLabel = "R",
            split = ",",
            converter = Thousands.class,
            defaultValue = "0,20000",
            description =
                    "Messages a second of each publisher, a list; 20k is 20,000; 0: full speed (${DEFAULT-VALUE}).")
    private List<Integer> rates = new ArrayList<>();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Rounds, each of which goes through all lanes and loads (${DEFAULT-VALUE}).")
    private int rounds = 3;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "3s",
            description = "Length of each run's measured part (${DEFAULT-VALUE}).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            description = "Time before each measured part, under the same load (10s).")
    private Duration warmup;

    @Option(
            names = "--baseline",
            description = "Measure emulated links without a relay, too: a plain sender, and iperf3 where it is there.")
    private boolean baseline;

    @Mixin
    private RelayStartOptions relayOptions;

    @Mixin
    private CongestionOption congestion;

    @Option(names = "--tls", description = "Clients of relay-client speak TLS 1.3, with a certificate of their own.")
    private boolean tls;

    @Option(
            names = "--connect",
            paramLabel = "NAME=HOST",
            description = "A lane more, repeatable: NAME=HOST[:PORT][,link=SPEED][,admin=URL].")
    private Map<String, String> connect = new LinkedHashMap<>();

    @Option(
            names = "--link",
            paramLabel = "SPEED",
            description = "Link to each relay of --connect that has none of its own: 1gbe, or a number of Mbit/s.")
    private String link;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write results.json and report.html into this new directory after every run.")
    private Path directory;

    @Option(names = "--json", description = "Print the results as JSON instead of tables.")
    private boolean json;

    @Option(names = "--csv", description = "Print the summary alone, as CSV with all digits.")
    private boolean csv;

    @Option(names = "--markdown", description = "Print the summary alone, as a table of Markdown.")
    private boolean markdown;

    @Option(names = "--count-disturbed", description = "Let runs count although the machine was disturbed meanwhile.")
    private boolean countDisturbed;

    /** A relay on another host. If {@code link} is empty, the link is as fast as this host's network interface. */
    private record Far(RemoteRelay relay, Optional<LinkSpeed> link) {}

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        refuse(
                Stream.of(json, csv, markdown).filter(given -> given).count() > 1,
                "--json, --csv and --markdown exclude each other");
        Map<String, Far> remotes = remotes();
        Shootout shootout = shootout(remotes.keySet());
        // The summary goes to stderr, since stdout may have to be JSON.
        err().println(ShootoutRun.summary(shootout));
        err().flush();
        ResultFiles written = directory == null ? null : ResultFiles.in(directory);
        ShootoutRun.Kept files =
                written == null ? results -> {} : results -> written.write(LaneSummary.withSummary(results));
        ShootoutRun run;
        try (Interrupts interrupts = new Interrupts();
                ProgressLine lines = new ProgressLine(err())) {
            run = new ShootoutRun(
                    shootout,
                    new Equipment(spec -> open(spec, remotes)),
                    System::nanoTime,
                    interrupts::isRequested,
                    lines,
                    files,
                    nothingYet());
            try {
                run.run();
            } finally {
                lines.clear();
                print(run);
            }
        }
        boolean complete = run.results().ending().how() == Ending.How.COMPLETE;
        return complete && !run.isUnwritten() ? run.exitCode() : ExitCodes.FAILED;
    }

    private void print(ShootoutRun run) throws IOException {
        Results results = LaneSummary.withSummary(run.results());
        if (json) {
            print(results);
            return;
        }
        if (csv || markdown) {
            Table flat = new LaneSummary(results).table();
            print(csv ? TextTable.csv(flat) : TextTable.markdown(flat));
            return;
        }
        String where = run.isUnwritten()
                ? "results could not be written to " + directory
                : "results are in " + directory + ": report.html, results.json";
        print(ResultsText.of(results) + (directory == null ? "" : where + "\n"));
    }

    /** Opens a lane. If a remote relay does not answer, opening succeeds, and the lane's runs fail with the reason. */
    private Way open(LaneSpec spec, Map<String, Far> remotes) throws IOException, InterruptedException {
        if (spec.kind() != LaneKind.REMOTE) {
            // The relay needs the lane's MTU to choose the size of its packets.
            return Way.open(spec, relayOptions.arguments(spec.mtu(), congestion), relayOptions.jvmOptions());
        }
        RemoteRelay relay = remotes.get(spec.name()).relay();
        try {
            relay = relay.checked();
        } catch (RunException e) {
            // Nothing is reported here: the lane's first run fails for the same reason, and reports it.
        }
        return Way.to(spec.name(), relay, remotes.get(spec.name()).link());
    }

    private Shootout shootout(Set<String> remotes) {
        within("--rounds", rounds, 1, MAX_ROUNDS);
        // The result is not needed. The call refuses invalid arguments for the relay before any run is made.
        relayOptions.arguments(0, congestion);
        Timing timing = timing(warmup, WARMUP, duration);
        refuse(link != null && remotes.isEmpty(), "--link needs --connect");
        Set<LaneSpec> specs = new LinkedHashSet<>(local());
        remotes.forEach(name -> specs.add(LaneSpec.remote(name)));
        Set<Load> loads = loads();
        long cells = (long) loads.size() * specs.size();
        refuse(
                cells > Shootout.MAX_CELLS,
                specs.size() + " lanes of " + loads.size() + " loads are " + cells + " cells, over the limit of "
                        + Shootout.MAX_CELLS + ": shorten a list");
        return new Shootout(List.copyOf(specs), List.copyOf(loads), rounds, timing, baseline, countDisturbed);
    }

    private Set<LaneSpec> local() {
        mtus.forEach(mtu -> within("--mtu", mtu, LaneSpec.MIN_MTU, LaneSpec.MAX_MTU));
        Set<LaneSpec> specs = new LinkedHashSet<>();
        for (String name : lanes) {
            LaneSpec spec = parsed("--lanes: ", name.trim(), LaneSpec::parse);
            refuse(tls && spec.kind() == LaneKind.UNIX, "--tls and lane unix exclude each other: give --lanes");
            specs.add(mtus.isEmpty() ? spec : spec.withMtu(mtus.get(0)));
            mtus.forEach(mtu -> specs.add(spec.withMtu(mtu)));
        }
        boolean emulated = specs.stream().anyMatch(LaneSpec::isEmulated);
        String all = String.join(",", lanes);
        refuse(baseline && !emulated, "--baseline needs an emulated lane, not --lanes " + all);
        refuse(!mtus.isEmpty() && !emulated, "--mtu needs an emulated lane, not --lanes " + all);
        return specs;
    }

    private Set<Load> loads() {
        publishers.forEach(count -> within("--publishers", count, 1, LoadOptions.MAX_CONNECTIONS));
        subscribers.forEach(count -> within("--subscribers", count, 1, LoadOptions.MAX_CONNECTIONS));
        rates.forEach(rate -> within("--rate", rate, 0, Load.MAX_RATE));
        Set<Load> loads = new LinkedHashSet<>();
        for (String body : bodies) {
            BodySizes sizes = parsed("--body ", body, BodySizes::parse);
            Load load = Load.oneToOne(BodySizes.MIN).withBody(sizes).withLocalCongestion(congestion.own());
            Load clients = tls ? load.withTls() : load;
            for (int publisher : publishers) {
                for (int subscriber : subscribers) {
                    rates.forEach(rate ->
                            loads.add(clients.withCounts(publisher, subscriber).withRate(rate)));
                }
            }
        }
        return loads;
    }

    private Map<String, Far> remotes() {
        Map<String, Far> remotes = new LinkedHashMap<>();
        Optional<String> all = Optional.ofNullable(link);
        connect.forEach((name, text) -> {
            String host = text.split(",", 2)[0];
            String option = "--connect " + name + "=" + text + ": ";
            Map<String, String> more = settings(option, text);
            boolean taken =
                    Stream.of(LaneKind.values()).anyMatch(kind -> kind.title().equals(name));
            refuse(
                    taken || !name.matches("[A-Za-z0-9._-]+"),
                    option + "a lane's name has letters, digits, '.', '_' and '-', and is no lane of this host");
            Endpoint publish = parsed("--connect: ", host, one -> ConnectOptions.publish(one, tls));
            String admin = more.get(ADMIN);
            remotes.put(
                    name,
                    new Far(
                            new RemoteRelay(
                                    publish,
                                    parsed("--connect: ", host, one -> ConnectOptions.oneBelow(publish)),
                                    relayOptions.isGiven("--slow-subscriber")
                                            ? relayOptions.policy()
                                            : Policy.RELAY_DEFAULT,
                                    new Access(tls, null, null, null, null, null),
                                    ConnectOptions.CONNECT_TIMEOUT,
                                    admin == null
                                            ? null
                                            : parsed(
                                                    option,
                                                    admin,
                                                    one -> AdminPort.parse(one, ConnectOptions.CONNECT_TIMEOUT))),
                            Optional.ofNullable(more.get(LINK))
                                    .map(speed -> parsed(option, speed, LinkSpeed::parse))
                                    .or(() -> all.map(speed -> parsed("--link: ", speed, LinkSpeed::parse)))));
        });
        return remotes;
    }

    /** Parses the settings that follow a relay's host: "link=10gbe,admin=http://host:7402". */
    private Map<String, String> settings(String option, String text) {
        Map<String, String> settings = new LinkedHashMap<>();
        Stream.of(text.split(",")).skip(1).forEach(word -> {
            String[] pair = word.split("=", 2);
            refuse(
                    pair.length < 2 || !List.of(LINK, ADMIN).contains(pair[0]),
                    option + "'" + word + "' is neither link=SPEED nor admin=URL");
            refuse(settings.put(pair[0], pair[1]) != null, option + pair[0] + " is there twice");
        });
        return settings;
    }
}
