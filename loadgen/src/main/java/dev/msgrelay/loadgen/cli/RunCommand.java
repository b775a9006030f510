package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.experiment.StandingRig;
import dev.msgrelay.loadgen.experiment.Way;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.render.HtmlPage;
import dev.msgrelay.loadgen.report.JoinReport;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.RunSummary;
import dev.msgrelay.loadgen.report.RunSummary.Targets;
import dev.msgrelay.loadgen.report.RunText;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.rig.JoinRun;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.RemoteRelay;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.text.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code loadgen run}: measures one relay. Publishers and subscribers run in processes of their own. */
@ShortHelp(
        examples = {
            "loadgen run",
            "loadgen run --rate 20k --p99 1ms --publishers 2 --subscribers 4 --body 200",
            "loadgen run --connect relay.example --link 10gbe --html run.html"
        },
        options = {
            "The load: --publishers --subscribers --body --rate --duration",
            "The relay: --connect --lane --relay-arg",
            "The result: --p99 --min-rate --html --json"
        })
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures a relay: one that it starts, or with --connect one that runs, and checks every message.",
            "Full speed first, then the latency at parts of that speed, all with the same processes; --rate: one rate only.",
            "The plain relay, one thread that writes on what it reads, is measured in turn: the ceiling of the speed and,"
                    + " at the same rates, of the latency. That adds 20 s, and 15 s to a run with --rate;"
                    + " --no-plain-relay leaves it out."
        })
final class RunCommand extends PrintingCommand {
    private static final Timing CEILING = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(2));
    private static final Duration WARMUP = Duration.ofSeconds(4);
    private static final Duration DURATION = Duration.ofSeconds(4);

    /** Warm-up of a run at one rate. It is long because a JVM with little work compiles its code late. */
    private static final Duration PACED_WARMUP = Duration.ofSeconds(15);

    private static final Duration PACED_DURATION = Duration.ofSeconds(10);

    /** Warm-up of the plain relay at that rate. It is shorter, as only its one loop is not compiled yet. */
    private static final Duration PLAIN_WARMUP = Duration.ofSeconds(5);

    /** Longer warm-up of the first rate after full speed, since the code for a fixed rate is not compiled yet. */
    private static final Duration FIRST_OF_CURVE = Duration.ofSeconds(2);

    private static final Duration OF_CURVE = Duration.ofSeconds(1);
    private static final Duration CURVE_DURATION = Duration.ofMillis(2_500);

    /** Rates to measure, in percent of full speed. The highest comes first, so that code is compiled early. */
    private static final List<Integer> CURVE = List.of(50, 25, 10, 1);

    private static final int HIGHEST = 75;

    private static final int MOST_JOINS = 1_000;

    /** Longest interval: half the wait for the last message. */
    private static final int MOST_INTERVAL_MILLIS = 5_000;

    /** Intervals in a measured part, so that it has ticks wherever it begins: by default, and at the least. */
    private static final int USUAL_INTERVALS = 4;

    private static final int LEAST_INTERVALS = 2;

    @Mixin
    private ConnectOptions connect;

    @Mixin
    private LoadOptions loadOptions;

    @Mixin
    private RelayStartOptions start;

    @Mixin
    private CongestionOption congestion;

    @Option(
            names = "--from",
            paramLabel = "START",
            description = "Start of the subscribers: live; or state, the newest of each type, checked at PINGs (live).")
    private From from = From.LIVE;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            description = "As --from state, and then only the newest of each changed type, once in 10ms to 5s.")
    private Duration interval;

    @Option(
            names = "--joins",
            paramLabel = "N",
            description = "Instead of a load: N subscribers in turn start with the state of --types messages.")
    private int joins;

    @Option(
            names = "--p99",
            paramLabel = "TIME",
            converter = Latency.class,
            description = "Target: the p99 of --rate, or of a rate of the curve, is within this: 20us, 5ms.")
    private Duration p99;

    @Option(
            names = "--min-rate",
            paramLabel = "R",
            converter = Thousands.class,
            description = "Target: so many messages a second reach each subscriber, of --rate or at full speed: 20k.")
    private Integer minRate;

    @Option(names = "--no-plain-relay", description = "Leave out the plain relay; only the ceiling of a link stays.")
    private boolean noPlainRelay;

    @Option(names = "--json", description = "Print the result as JSON instead of text.")
    private boolean json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write the result as one HTML page, too.")
    private Path html;

    @Option(names = "--explain", description = "Print the evidence: each process, each subscriber, each queue.")
    private boolean explain;

    enum From {
        LIVE,
        STATE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static final class Latency implements ITypeConverter<Duration> {
        private static final Pattern MICROS = Pattern.compile("(\\d{1,9})us");

        @Override
        public Duration convert(String text) {
            Matcher micros = MICROS.matcher(text.strip().toLowerCase(Locale.ROOT));
            try {
                return micros.matches()
                        ? Duration.of(Long.parseLong(micros.group(1)), ChronoUnit.MICROS)
                        : Durations.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage() + "; 20us is 20 microseconds");
            }
        }
    }

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        connect.check();
        Load load = load();
        if (isGiven("--joins")) {
            return join(load);
        }
        refuse(p99 != null && !load.isChecked(), "--p99 needs --check full: without it no latency is measured");
        refuseZero("--p99", p99);
        within("--min-rate", minRate == null ? 1 : minRate, 1, Integer.MAX_VALUE);
        Timing first = first(load);
        if (html != null) {
            Path folder = html.toAbsolutePath().getParent();
            refuse(!Files.isDirectory(folder), "--html " + html + ": there is no directory " + folder);
        }
        try (Interrupts interrupts = new Interrupts();
                ProgressLine lines = new ProgressLine(err());
                Way way = connect.areGiven() ? remote(load) : local(load);
                StandingRig rig = new StandingRig(way.lane().placement())) {
            Load through = connect.areGiven() ? connect.through(load, (RemoteRelay) way.relay()) : load;
            Experiment runs = experiment(interrupts, lines, 1);
            Optional<Ceilings> ceilings = Optional.ofNullable(way.linkCeilings(through));
            try {
                if (way.isLocal() && !load.isPaced() && !noPlainRelay && !load.hasInterval()) {
                    ceilings = measured(way, through, experiment(interrupts, lines, 1));
                }
                RunRecord full = measure(runs, way.plan(through, first, rig));
                for (Plan plan : afterFirst(way, through, full, rig)) {
                    measure(runs, plan);
                }
                rig.stopRelay();
                lines.clear();
                return report(way, runs.runs(), ceilings, Ending.complete());
            } catch (InterruptedException e) {
                rig.abandon();
                lines.clear();
                if (!runs.runs().isEmpty()) {
                    report(way, runs.runs(), ceilings, new Ending(Ending.How.INTERRUPTED, "Ctrl-C"));
                }
                // With --json, stdout may contain nothing but one JSON document, so this line goes to stderr.
                (json ? err() : out())
                        .println(rig.lastLive().map(RunText::partial).orElse(RunText.PARTIAL_WITHOUT_A_MESSAGE));
                throw e;
            }
        }
    }

    /** Times of the first run. */
    Timing first(Load load) {
        Duration usual = load.isPaced() ? PACED_DURATION : DURATION;
        Duration every = Duration.ofMillis(load.intervalMillis());
        Duration some = every.multipliedBy(USUAL_INTERVALS);
        Timing timing =
                loadOptions.timing(load.isPaced() ? PACED_WARMUP : WARMUP, usual.compareTo(some) < 0 ? some : usual);
        Duration least = every.multipliedBy(LEAST_INTERVALS);
        refuse(
                timing.measured().compareTo(least) < 0,
                "--duration " + Durations.format(timing.measured()) + " is under " + Durations.format(least) + ", "
                        + LEAST_INTERVALS + " times --interval " + Durations.format(every));
        return timing;
    }

    private int join(Load load) throws IOException, RunException, InterruptedException {
        within("--joins", joins, 1, MOST_JOINS);
        exclude(
                List.of("--rate", "--p99", "--min-rate", "--html", "--slow-readers", "--subscribers", "--interval"),
                "--joins");
        try (Interrupts interrupts = new Interrupts();
                ProgressLine lines = new ProgressLine(err());
                Way way = local(load)) {
            Load over = way.plan(load, CEILING, Rig.OWN).load();
            JoinReport report =
                    new JoinReport(over, JoinRun.measure(way.relay(), way.lane().placement(), over, joins, lines));
            if (interrupts.isRequested()) {
                throw new InterruptedException();
            }
            lines.clear();
            print(json ? Json.text(report.document()) + "\n" : report.text());
            return report.failures().isEmpty() ? ExitCodes.DONE : ExitCodes.NOT_WHOLE;
        }
    }

    private Load load() {
        long millis = interval == null ? 0 : interval.toMillis();
        if (interval != null) {
            within("--interval in ms", millis, Protocol.MIN_INTERVAL_MILLIS, MOST_INTERVAL_MILLIS);
            refuse(isGiven("--from") && from == From.LIVE, "--interval needs --from state");
        }
        Load load = loadOptions
                .load(start.policy())
                .withLocalCongestion(congestion.own())
                .withFromState(from == From.STATE || interval != null || isGiven("--joins"))
                .withInterval((int) millis);
        if (load.fromState()) {
            refuse(load.publishers() > 1, "--from state needs --publishers 1: else nobody knows the whole stream");
            refuse(!load.isChecked(), "--from state needs --check full");
            refuse(load.clients().kind() != Clients.Kind.RAW, "--from state needs --client raw");
        }
        return load;
    }

    /** Makes a run. If one of the plain relay breaks off, the results of the relay stay, with no ratio to it. */
    private static RunRecord measure(Experiment runs, Plan plan) throws RunException, InterruptedException {
        Run run = runs.measure("", plan, 1);
        if (!run.isWhole() && !isOfPlainRelay(run)) {
            throw new RunException(run.failures().get(0));
        }
        return run.record();
    }

    private Way remote(Load given) throws IOException, RunException, InterruptedException {
        Optional<LinkSpeed> link = connect.link();
        RemoteRelay relay = connect.relay(given, isGiven("--slow-subscriber") ? start.policy() : Policy.RELAY_DEFAULT)
                .checked();
        String name = relay.publish().isUnix()
                ? relay.publish().toString()
                : relay.publish().host();
        return Way.to(name, relay, link);
    }

    private Way local(Load load) throws IOException, InterruptedException {
        LaneSpec lane = LaneSpec.of(loadOptions.lane());
        List<String> args = start.arguments(lane.mtu(), congestion);
        checkJournal(load, args);
        return Way.open(lane, args, start.jvmOptions());
    }

    private static Optional<Ceilings> measured(Way way, Load load, Experiment experiment) throws InterruptedException {
        Run run = experiment.measure("", way.plain(load, CEILING, Rig.OWN), 1);
        return run.record().outcome().isValid() ? Optional.of(Ceilings.measured(run.record())) : Optional.empty();
    }

    /** Plans the plain relay at the rate of this load, unless it is left out, or cannot do what the relay does. */
    private Optional<Plan> plain(Way way, Load load, Timing timing, StandingRig rig) {
        boolean out = noPlainRelay
                || connect.areGiven()
                || !load.isChecked()
                || load.wanted() > Load.MAX_RATE
                || load.hasInterval();
        return out ? Optional.empty() : Optional.of(way.plain(load, timing, rig));
    }

    /**
     * Plans what follows the first run. After a run at one rate this is the plain relay; after full speed, at each rate
     * of the curve, relay and plain relay, of which neither is always the first.
     */
    private List<Plan> afterFirst(Way way, Load load, RunRecord full, StandingRig rig) {
        List<Plan> plans = new ArrayList<>();
        if (load.fromState() && !load.isPaced()) {
            // Another run on the same relay would have the state of this one, which its subscribers do not know.
            return plans;
        }
        if (load.isPaced() || !load.isChecked()) {
            plain(way, load, loadOptions.timing(PLAIN_WARMUP, PACED_DURATION), rig)
                    .ifPresent(plans::add);
            return plans;
        }
        List<Integer> percents = new ArrayList<>(CURVE);
        int busy = load.publisherProcesses() + load.subscriberProcesses() + (connect.areGiven() ? 0 : 1);
        if (Runtime.getRuntime().availableProcessors() > busy) {
            percents.add(0, HIGHEST);
        }
        double each = full.out() / load.subscribers() / load.publishers();
        List<Integer> rates = percents.stream()
                .map(percent -> (int) Math.min(Load.MAX_RATE, each * percent / 100))
                .filter(rate -> rate > 0)
                .distinct()
                .toList();
        for (int i = 0; i < rates.size(); i++) {
            Timing timing = loadOptions.timing(plans.isEmpty() ? FIRST_OF_CURVE : OF_CURVE, CURVE_DURATION);
            Load paced = load.withRate(rates.get(i));
            Stream<Plan> relay = Stream.of(way.plan(paced, timing, rig));
            Stream<Plan> plain = plain(way, paced, timing, rig).stream();
            plans.addAll((i % 2 == 0 ? Stream.concat(relay, plain) : Stream.concat(plain, relay)).toList());
        }
        return plans;
    }

    private int report(Way way, List<Run> runs, Optional<Ceilings> ceilings, Ending ending) throws IOException {
        List<Cell> cells = runs.stream()
                .sorted(Comparator.comparingDouble(
                                (Run run) -> run.plan().load().wanted())
                        .thenComparing(RunCommand::isOfPlainRelay))
                .map(run -> cell(way, run, ceilings))
                .toList();
        Results results = nothingYet().withLanes(List.of(way.result(cells))).with(ending);
        RunSummary outcome = RunSummary.of(results, new Targets(p99 == null ? null : p99.toNanos(), minRate));
        results = results.withNotes(outcome.lines());
        if (html != null) {
            Files.writeString(html, HtmlPage.of("Relay run", results));
        }
        if (json) {
            print(results);
        } else {
            Load load = runs.get(0).plan().load();
            print(RunText.of(results, way.relay().name(), way.relay().transport(load), explain));
            print("  more: " + (html == null ? "--html FILE, a page; " : html + "; ") + "--json"
                    + (explain ? "" : "; --explain") + "\n");
        }
        return outcome.exitCode();
    }

    private static boolean isOfPlainRelay(Run run) {
        return run.plan().contestant().name().equals(Cell.PLAIN);
    }

    private static Cell cell(Way way, Run run, Optional<Ceilings> ceilings) {
        Load load = run.plan().load();
        if (isOfPlainRelay(run)) {
            return new Cell(Cell.PLAIN, load, List.of(run.record()));
        }
        List<Share> shares = ceilings.stream()
                .filter(known -> known.unlike(run.record()).isEmpty())
                .map(known -> Share.of(1, run.record().throughput(), known, way.places(), load.subscribers()))
                .toList();
        return new Cell(Cell.RELAY, load, ceilings.orElse(null), shares, List.of(run.record()));
    }
}
