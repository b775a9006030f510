package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.experiment.Way;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.report.CeilingReport;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.ResultsText;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen ceiling}: computes the highest throughput of a link, or measures this machine without a relay. */
@ShortHelp(examples = {"loadgen ceiling", "loadgen ceiling --link 10gbe --body 100", "loadgen ceiling --subscribers 4"})
@Command(
        name = "ceiling",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Computes what a link could give at most: messages and bytes a second in each direction; or measures what this"
                    + " machine can do without a relay.",
            "With --link: with every segment full (batched), and with one message a segment; docs/measuring.md"
                    + " has the arithmetic. MB/s count bodies and their 8-byte headers.",
            "Without a link it measures, one run each: direct, pre-packed frames from one process to another; and plain"
                    + " relay, a thread that reads a buffer and writes it on to every subscriber."
        })
final class CeilingCommand extends PrintingCommand {
    private static final int MAX_SUBSCRIBERS = 10_000;
    private static final int MAX_SIZES = 100;

    private static final Timing EACH = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(3));

    @Option(
            names = "--link",
            paramLabel = "SPEED",
            description = "1gbe, 10gbe, 25gbe, 100gbe, or any speed like 2.5g or 100m.")
    private String speed;

    @Option(names = "--mtu", paramLabel = "BYTES", description = "The link's largest IP packet (${DEFAULT-VALUE}).")
    private int mtu = LaneSpec.ETHERNET_MTU;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "16,100,1000,10000",
            description = "Bytes of every message's body, one or more sizes (${DEFAULT-VALUE}).")
    private List<Integer> bodies = new ArrayList<>();

    @Option(
            names = "--subscribers",
            paramLabel = "N",
            description =
                    "Subscribers across the link, which share the egress; or of the plain relay (${DEFAULT-VALUE}).")
    private int subscribers = 1;

    @Option(names = "--json", description = "Print the figures as JSON instead of a table.")
    private boolean json;

    @Option(names = "--unix", description = "Without a link: Unix sockets instead of TCP.")
    private boolean unix;

    @Mixin
    private CongestionOption congestion;

    @Override
    public Integer call() throws IOException, InterruptedException {
        within("--body: number of sizes", bodies.size(), 1, MAX_SIZES);
        bodies.forEach(body -> within("--body", body, 0, FrameLayout.MAX_MAX_BODY));
        within("--subscribers", subscribers, 1, MAX_SUBSCRIBERS);
        refuse(speed == null && isGiven("--mtu"), "--mtu needs --link");
        if (speed == null) {
            bodies.forEach(body -> within("--body", body, LoadMessage.MIN_BODY, FrameLayout.MAX_MAX_BODY));
            return measure();
        }
        refuse(unix, "--unix and a link exclude each other");
        SegmentFormat format = parsed("--mtu: ", "", text -> SegmentFormat.usual(mtu));
        Link link = new Link(parsed("--link: ", speed, LinkSpeed::parse), format);
        CeilingReport report = new CeilingReport(link, bodies, subscribers);
        if (json) {
            print(Json.text(report.document()) + "\n");
        } else {
            print(report.table());
        }
        return ExitCodes.DONE;
    }

    private int measure() throws IOException, InterruptedException {
        String own = congestion.own();
        try (Interrupts interrupts = new Interrupts();
                ProgressLine lines = new ProgressLine(err());
                Way way = Way.open(LaneSpec.of(unix ? LaneKind.UNIX : LaneKind.LOOPBACK), List.of(), List.of())) {
            List<Plan> plans = new ArrayList<>();
            for (int body : bodies) {
                Load load = Load.oneToOne(body).withCounts(1, subscribers).withLocalCongestion(own);
                plans.add(way.direct(load, EACH, Rig.OWN));
                plans.add(way.plain(load, EACH, Rig.OWN));
            }
            Experiment experiment = experiment(interrupts, lines, 1);
            experiment.expect(plans, 1);
            List<Run> runs = experiment.rounds(plans, Until.rounds(1));
            lines.clear();
            List<Cell> cells = runs.stream()
                    .map(run ->
                            new Cell(run.plan().contestant().name(), run.plan().load(), List.of(run.record())))
                    .toList();
            Results results = nothingYet().withLanes(List.of(way.result(cells))).with(Ending.complete());
            if (json) {
                print(results);
            } else {
                print(ResultsText.of(results));
            }
            return Run.exitCode(runs);
        }
    }
}
