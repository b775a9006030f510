package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import dev.msgrelay.loadgen.result.RunRecord.ProcessUse;
import dev.msgrelay.loadgen.result.RunRecord.Resources;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;

import dev.msgrelay.loadgen.plan.Still;

import picocli.CommandLine.Parameters;
import dev.msgrelay.loadgen.plan.SubscriberResult;

import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.evidence.Sampled;
import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queue;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.Framing;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.rig.Timeline;
import dev.msgrelay.loadgen.plan.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Made-up results for tests. */
public final class MadeUp {
    public static final Machine MACHINE =
            new Machine(2, "Some CPU @ 3 GHz", "OpenJDK 17.0.15", "Linux 6.1", "cubic", 45.5);

    private static final Queue QUEUE = new Queue(2, 40, 0.98765, 1_234.6);

    private static final long SECOND = 1_000_000_000L;
    private static final int HEADER = 8;

    private MadeUp() {}

    /** Without a lane. */
    public static Results empty() {
        return Results.of(
                new Results.Origin(
                        "shootout",
                        "0.1.0",
                        "2026-01-31T12:00:00Z",
                        List.of("loadgen", "shootout", "--lanes", "loopback,10gbe")),
                List.of(new Site("here", MACHINE)));
    }

    /** Everything that there can be: several lanes, fan-out, a skipped lane, runs that are marked, partial and FAIL. */
    public static Results full() {
        Parameters one = parameters("100", 1);
        Parameters eight = parameters("100", 8);
        LaneResult loopback = new LaneResult("loopback", LaneKind.LOOPBACK, false, null, null, Places.NEAR, List.of());
        SegmentFormat format = new SegmentFormat(1_500, IpVersion.V4, true, false, Framing.TRAFFIC_CONTROL);
        Link link = new Link(LinkSpeed.parse("10gbe"), format);
        LaneResult emulated = new LaneResult(
                "10gbe", LaneKind.GBE_10, true, null, link, new Places(Place.NEAR, Place.FAR), List.of());
        Cell plain =
                new Cell(one, new Ceilings(Ceilings.PLAIN_RELAY, new Ceilings.Rate(30e6, 30e6 * 108), null), List.of());
        Cell batched = new Cell(
                eight,
                new Ceilings(
                        Ceilings.LINK,
                        new Ceilings.Rate(
                                link.batched(100).messagesPerSecond(),
                                link.batched(100).bytesPerSecond()),
                        new Ceilings.Rate(
                                link.single(100).messagesPerSecond(),
                                link.single(100).bytesPerSecond())),
                List.of());
        Cell unknown = new Cell(
                new Parameters(new Parameters.Body("16-1000", 508), 4, 1, 20_000, 0, 1, Clients.RAW), null, List.of());
        Results shootout = empty().with(loopback).with(emulated);
        for (int round = 1; round <= 3; round++) {
            shootout = shootout.with("loopback", plain, run(round, 23.1e6 + round * 1e5, plain, Outcome.PASS))
                    .with("10gbe", batched, run(round, 10.5e6 + round * 3e4, batched, Outcome.PASS))
                    .with("loopback", unknown, run(round, 80e3, unknown, Outcome.PASS));
        }
        return shootout.with(
                        "10gbe",
                        batched,
                        run(
                                4,
                                4.2e6,
                                batched,
                                new Outcome(
                                        List.of(),
                                        List.of("other programs took 43 % of all cores"),
                                        List.of(new Observed(
                                                Observed.Kind.STOOD_STILL, "deliveries stood still 3 times")),
                                        false)))
                .with(
                        "loopback",
                        plain,
                        run(
                                4,
                                22e6,
                                plain,
                                new Outcome(List.of("subscriber 0: 3 messages lost"), List.of(), List.of(), false)))
                .with("loopback", unknown, run(4, 79e3, unknown, new Outcome(List.of(), List.of(), List.of(), true)))
                .with(LaneResult.skipped(
                        "25gbe", LaneKind.GBE_25, true, "no user namespaces: unshare: Operation not permitted"))
                .with(Ending.interrupted("Ctrl-C"));
    }

    public static Parameters parameters(String body, int subscribers) {
        return new Parameters(new Parameters.Body(body, 100), 1, subscribers, 0, 0, 1, Clients.RAW);
    }

    /** A loopback lane with one cell, whose runs give these messages a second, one a round. */
    public static Results loopback(double... messagesPerSecond) {
        Cell cell = new Cell(parameters("100", 1), null, List.of());
        Results shootout = empty().with(
                        new LaneResult("loopback", LaneKind.LOOPBACK, false, null, null, Places.NEAR, List.of()))
                .with(Ending.complete());
        for (int i = 0; i < messagesPerSecond.length; i++) {
            shootout = shootout.with("loopback", cell, run(i + 1, messagesPerSecond[i], cell, Outcome.PASS));
        }
        return shootout;
    }

    /** A run of ten seconds. */
    public static RunRecord run(int round, double messagesPerSecond, Cell cell, Outcome outcome) {
        int subscribers = cell.parameters().subscribers();
        long out = (long) (messagesPerSecond * 10);
        int frame = HEADER + (int) cell.parameters().body().meanBytes();
        Traffic flowOut = new Traffic(out, out * frame, 10 * SECOND);
        Traffic flowIn = new Traffic(out / subscribers, out / subscribers * frame, 10 * SECOND);
        Random random = new Random(round);
        boolean paced = cell.parameters().rate() > 0;
        return new RunRecord(
                new Moment(round, "2026-01-31T12:0%d:00Z".formatted(round), 2 * SECOND, 10 * SECOND),
                new Throughput(
                        flowIn,
                        flowOut,
                        Double.NaN,
                        cell.ceilings() == null ? Double.NaN : cell.ceilings().fraction(flowOut),
                        timeline(messagesPerSecond, subscribers, frame, random)),
                new Delays(paced ? delays(round, 42_000) : null, 1_024, paced ? null : delays(round, 4_200_000), null),
                new Correctness(
                        true,
                        6.5,
                        subscribers(subscribers, out, outcome.passed()),
                        List.of(),
                        paced ? new Punctuality(12, 1_400_000, delays(round, 9_000)) : Punctuality.NONE,
                        0),
                new Resources(
                        List.of(
                                new ProcessUse("relay", 9.1 + round / 10.0, 180 << 20, "here"),
                                new ProcessUse("publisher 0", 4.2, 90 << 20, "here"),
                                new ProcessUse("subscriber 0", 5.4, -1, "here")),
                        new RelayFigures(3, 12, 1 << 20, Map.of("SHUTDOWN", 1)),
                        new BoundBy(
                                BoundBy.Kind.RELAY_CPU,
                                Confidence.HIGH,
                                List.of("relay: 0.97 of a core", "link: 0.31 of its ceiling"),
                                List.of(BoundBy.Kind.RING),
                                List.of("queues")),
                        signals(new Rates(cell.parameters().rate(), 20_000, 20_000, 0, 10))),
                outcome);
    }

    /** Everything that there can be, and some that was not seen. */
    private static Signals signals(Rates rates) {
        return new Signals(
                rates,
                new Sampled(
                        40,
                        List.of(new CpuShare(Role.RELAY, "relay", "relay-loop-0", 0.97123, 0.0201)),
                        true,
                        new MachineShare(2, 0.1, 0.2, 0.03, 0.4, 0.27, "yes (pid 7)", 1),
                        new Queues(QUEUE, null, QUEUE, null),
                        new TcpSegments(1_000, 3)),
                new RelayHolds(0.5, 0.25, 0.125),
                new LinkShare(0.5, Double.NaN, true, true),
                new Standstills(Still.NONE, Still.NONE, Still.NONE, new Still(12_500_000, 0, 0), 0));
    }

    private static List<Timeline.Point> timeline(double rate, int subscribers, int frame, Random random) {
        return IntStream.rangeClosed(1, 60)
                .mapToObj(i -> {
                    double now = rate * Math.min(1, i / 6.0) * (0.98 + 0.04 * random.nextDouble());
                    return new Timeline.Point(
                            i / 5.0, now / subscribers, now / subscribers * frame, now, now * frame, 4_096L * i);
                })
                .toList();
    }

    private static List<SubscriberResult> subscribers(int count, long out, boolean passed) {
        List<SubscriberResult> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(new SubscriberResult(
                    i,
                    out / count,
                    new SubscriberResult.Faults(passed ? 0 : 3, 0, 0, 0, passed ? 0 : 1, 0),
                    SubscriberResult.Told.NOTHING,
                    i == 0 && !passed ? "reset, \"by\" peer" : null,
                    0));
        }
        return list;
    }

    /** Log-normal around a median. */
    private static Histogram delays(int seed, double median) {
        Histogram histogram = new Histogram(100 * SECOND, 3);
        Random random = new Random(seed);
        for (int i = 0; i < 50_000; i++) {
            histogram.recordValue((long) (median * Math.exp(0.6 * random.nextGaussian())));
        }
        return histogram;
    }
}
