package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.experiment.StandingRig;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.render.HtmlWriter;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.ResultsPage;
import dev.msgrelay.loadgen.report.RunTable;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.run.RemoteRelay;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.loadgen.shootout.LaneCeilings;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen run}: publishers, a relay and subscribers as processes of their own, and what came of it. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures a relay: one that it starts, or with --connect one that runs, and checks every message.",
            "Full speed first, then the latency at parts of that speed, all with the same processes; --rate: one rate only."
                    + " Exits 1 when a message was lost (and no policy explains it), came twice, out of order, in another"
                    + " order to another subscriber, or not byte for byte as it was sent."
        })
final class RunCommand extends Told {
    private static final Timing CEILING = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(2));
    private static final Duration WARMUP = Duration.ofSeconds(4);
    private static final Duration DURATION = Duration.ofSeconds(4);

    /** Warm-up of a single rate: a JVM that has little to do takes its time to compile it. */
    private static final Duration PACED_WARMUP = Duration.ofSeconds(15);

    private static final Duration PACED_DURATION = Duration.ofSeconds(10);

    /** Warm-up of the first rate after full speed: the code that keeps a schedule is new. */
    private static final Duration FIRST_OF_CURVE = Duration.ofSeconds(2);

    private static final Duration OF_CURVE = Duration.ofSeconds(1);
    private static final Duration CURVE_DURATION = Duration.ofMillis(2_500);

    /** Parts of full speed, in percent. The highest comes first: it compiles what the others run. */
    private static final List<Integer> CURVE = List.of(50, 25, 10, 1);

    private static final int HIGHEST = 75;

    @Mixin
    private ConnectOptions connect;

    @Mixin
    private LoadOptions loadOptions;

    @Mixin
    private RelayStartOptions start;

    @Option(
            names = "--p99",
            paramLabel = "TIME",
            description = "Headline: the highest rate of the curve whose p99 stays within this, such as 5ms.")
    private Duration p99;

    @Option(names = "--json", description = "Print the result as JSON instead of text.")
    private boolean json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write the result as one HTML page, too.")
    private Path html;

    @Option(names = "--explain", description = "Print the evidence: each process, each subscriber, each queue.")
    private boolean explain;

    /**
     * The path of the messages.
     *
     * @param name for results
     * @param places who is across a link
     */
    private record Way(String name, Lane lane, Places places, Contestant contestant, Load load)
            implements AutoCloseable {
        LoadCell cell(Load load, Timing timing, StandingRig rig) {
            return new LoadCell("", name, contestant, rig.placement(), load, timing, rig);
        }

        /** Arithmetic of the link; null where none is known. */
        Ceilings ceilings() {
            return lane.link() == null ? null : LaneCeilings.of(lane.link(), load.body());
        }

        LaneResult result() {
            LaneSpec spec = lane.spec();
            return new LaneResult(name, spec.kind(), spec.isEmulated(), null, lane.link(), places, List.of());
        }

        @Override
        public void close() {
            lane.close();
        }
    }

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        connect.check();
        Load load = loadOptions.load(start.policy());
        refuse(p99 != null && load.rate() > 0, "--p99 chooses a rate of the curve: it takes no --rate " + load.rate());
        refuse(p99 != null && !load.isChecked(), "--p99 needs --check full: without it no latency is measured");
        refuse(p99 != null && p99.isZero(), "--p99 0 is not above 0");
        Timing first = load.rate() > 0
                ? loadOptions.timing(PACED_WARMUP, PACED_DURATION)
                : loadOptions.timing(WARMUP, DURATION).exactly();
        if (html != null) {
            Path folder = html.toAbsolutePath().getParent();
            refuse(!Files.isDirectory(folder), "--html " + html + ": there is no directory " + folder);
        }
        try (Interrupts interrupts = Interrupts.watch();
                ProgressLine lines = ProgressLine.onStderr(err());
                Way way = connect.areGiven() ? remote(load) : local(load);
                StandingRig rig = new StandingRig(way.lane().placement(End.NEAR, End.FAR))) {
            Ceilings ceilings = way.ceilings();
            Experiment<RunResult> runs = experiment(interrupts, lines, 1);
            try {
                if (ceilings == null && !connect.areGiven() && load.rate() == 0) {
                    ceilings = measured(way, experiment(interrupts, lines, 1));
                }
                measure(runs, way.cell(way.load(), first, rig));
                for (LoadCell cell : curve(way, runs.runs().get(0).result(), rig)) {
                    measure(runs, cell);
                }
                List<Run<RunResult>> whole = rig.end(runs.runs());
                lines.end();
                return report(way, whole, ceilings, Ending.complete());
            } catch (InterruptedException e) {
                rig.abandon();
                lines.end();
                if (!runs.runs().isEmpty()) {
                    report(way, runs.runs(), ceilings, Ending.interrupted("Ctrl-C"));
                }
                // JSON is all of stdout, or nothing.
                (json ? err() : out()).println(RunTable.partial(rig.lastLive()));
                throw e;
            }
        }
    }

    private static void measure(Experiment<RunResult> runs, LoadCell cell) throws RunException, InterruptedException {
        Run<RunResult> run = runs.measure("", cell, 1);
        if (!run.isWhole()) {
            throw new RunException(run.failures().get(0));
        }
    }

    private Way remote(Load given) throws IOException, RunException, InterruptedException {
        Link link = connect.link();
        RemoteRelay relay = connect.relay(given, isGiven("--slow-subscriber") ? start.policy() : null)
                .checked();
        String name = relay.publish().isUnix()
                ? relay.publish().toString()
                : relay.publish().host();
        Lane lane = Lane.between(LaneSpec.remote(name), Site.HERE, Site.HERE, link);
        return new Way(
                name,
                lane,
                new Places(Place.FAR, Place.FAR),
                relay,
                connect.through(given.withPolicy(relay.policy()), relay));
    }

    /** A lane of this host. Publishers beside the relay of a link use its Unix socket, where that is not told otherwise. */
    private Way local(Load load) throws IOException, InterruptedException {
        LaneKind kind = loadOptions.lane();
        boolean apart = kind.isEmulated();
        Integer mtu = apart ? LaneSpec.ETHERNET_MTU : null;
        List<String> args = start.arguments(mtu);
        checkJournal(load, "--relay-arg=--journal=temp", args);
        boolean door = apart && !load.tls();
        Contestant contestant = new RelayContestant(args, start.jvmOptions(), door, null);
        Places places = apart ? new Places(door ? Place.NEAR_UNIX : Place.NEAR, Place.FAR) : Places.NEAR;
        return new Way(kind.title(), Lanes.open(LaneSpec.of(kind)), places, contestant, load);
    }

    /** The plain relay, with as many subscribers; null where it gave nothing. */
    private static Ceilings measured(Way way, Experiment<RunResult> experiment) throws InterruptedException {
        Run<RunResult> run = experiment.measure("", CeilingCells.plain(way.load(), CEILING, new HostRig()), 1);
        if (!run.isWhole() || !run.failures().isEmpty()) {
            return null;
        }
        Traffic out = run.result().throughput().out();
        return new Ceilings(
                Ceilings.PLAIN_RELAY, new Ceilings.Rate(out.messagesPerSecond(), out.bytesPerSecond()), null);
    }

    /** Rates below full speed, with the same processes. */
    private List<LoadCell> curve(Way way, RunResult full, StandingRig rig) {
        if (way.load().rate() > 0 || !way.load().isChecked()) {
            return List.of();
        }
        List<Integer> percents = new ArrayList<>(CURVE);
        int busy = way.load().publisherProcesses() + way.load().subscriberProcesses() + (connect.areGiven() ? 0 : 1);
        if (Runtime.getRuntime().availableProcessors() > busy) {
            percents.add(0, HIGHEST);
        }
        List<LoadCell> cells = new ArrayList<>();
        for (int percent : percents) {
            int rate = full.rateAt(percent);
            Timing timing = loadOptions
                    .timing(cells.isEmpty() ? FIRST_OF_CURVE : OF_CURVE, CURVE_DURATION)
                    .exactly();
            if (rate > 0 && cells.stream().noneMatch(cell -> cell.load().rate() == rate)) {
                cells.add(way.cell(way.load().withRate(rate), timing, rig));
            }
        }
        return cells;
    }

    private int report(Way way, List<Run<RunResult>> runs, Ceilings ceilings, Ending ending) throws IOException {
        Results results = nothingYet().with(way.result()).with(ending);
        List<RunTable.Part> told = new ArrayList<>();
        List<Run<RunResult>> byRate = new ArrayList<>(runs);
        byRate.sort(Comparator.comparingInt(run -> run.result().load().rate()));
        for (Run<RunResult> one : byRate) {
            RunResult result = one.result();
            Parameters parameters = Parameters.of(result.load())
                    .withMtu(
                            way.lane().link() == null
                                    ? 0
                                    : way.lane().link().format().mtu());
            // The lane tells which relay it is.
            Cell cell = new Cell(parameters, ceilings, List.of());
            RunRecord run = LoadCell.record(one, way.places(), ceilings);
            results = results.with(way.name(), cell, run);
            told.add(new RunTable.Part(run, result.load()));
        }
        Long limit = p99 == null ? null : p99.toNanos();
        results = results.withNotes(RunTable.headline(told, limit));
        if (html != null) {
            Files.writeString(html, HtmlWriter.html(ResultsPage.of(results)));
        }
        if (json) {
            print(results);
        } else {
            String transport = way.contestant().transport(way.load());
            print(RunTable.of(results, told, way.contestant().name(), transport, explain));
        }
        return results.runs().stream().allMatch(one -> one.outcome().passed()) ? 0 : 1;
    }
}
