package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.link.Framing;
import dev.msgrelay.loadgen.link.IpVersion;
import dev.msgrelay.loadgen.link.LinkCeiling;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.result.Correctness.Schedule;
import dev.msgrelay.loadgen.result.Correctness.SubscriberRecord;
import dev.msgrelay.loadgen.result.Resources.BoundBy;
import dev.msgrelay.loadgen.result.Resources.ProcessRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Made-up results for tests. */
public final class Shootouts {
    public static final Machine MACHINE = new Machine(2, "Some CPU @ 3 GHz", "OpenJDK 17.0.15", "Linux 6.1", "cubic");

    private static final long SECOND = 1_000_000_000L;
    private static final int HEADER = 8;

    private Shootouts() {}

    /** Without a lane. */
    public static Shootout empty() {
        return new Shootout(
                new Shootout.Origin(
                        "0.1.0", "2026-01-31T12:00:00Z", List.of("loadgen", "shootout", "--lanes", "loopback,10gbe")),
                List.of(new Site("here", MACHINE)),
                List.of(),
                Ending.running());
    }

    /** Everything that there can be: several lanes, fan-out, a skipped lane, runs that are marked, partial and FAIL. */
    public static Shootout full() {
        Parameters one = parameters("100", 1);
        Parameters eight = parameters("100", 8);
        LaneResult loopback = new LaneResult("loopback", LaneKind.LOOPBACK, false, null, null, Places.NEAR, List.of());
        SegmentFormat format = new SegmentFormat(1_500, IpVersion.V4, true, false, Framing.TRAFFIC_CONTROL);
        LinkCeiling link = new LinkCeiling(LinkSpeed.parse("10gbe"), format, 100);
        LaneResult emulated = new LaneResult(
                "10gbe",
                LaneKind.GBE_10,
                true,
                null,
                new LinkFacts(link.speed(), format),
                new Places(Places.Place.NEAR, Places.Place.FAR),
                List.of());
        Cell plain =
                new Cell(one, new Ceilings(Ceilings.PLAIN_RELAY, new Ceilings.Rate(30e6, 30e6 * 108), null), List.of());
        Cell batched = new Cell(
                eight,
                new Ceilings(
                        Ceilings.LINK,
                        new Ceilings.Rate(
                                link.batched().messagesPerSecond(),
                                link.batched().bytesPerSecond()),
                        new Ceilings.Rate(
                                link.single().messagesPerSecond(), link.single().bytesPerSecond())),
                List.of());
        Cell unknown = new Cell(
                new Parameters(new Parameters.Body("uniform:16-1000", 508), 4, 1, 10, 20_000, 0), null, List.of());
        Shootout shootout = empty().with(loopback).with(emulated);
        for (int round = 1; round <= 3; round++) {
            shootout = shootout.with(
                            "loopback", plain, run(round, 23.1e6 + round * 1e5, new Hops(45, 47), plain, Outcome.PASS))
                    .with("10gbe", batched, run(round, 10.5e6 + round * 3e4, new Hops(46, 48), batched, Outcome.PASS))
                    .with("loopback", unknown, run(round, 80e3, new Hops(44, 45), unknown, Outcome.PASS));
        }
        return shootout.with(
                        "10gbe",
                        batched,
                        run(
                                4,
                                4.2e6,
                                new Hops(46, 230),
                                batched,
                                new Outcome(List.of(), List.of("regime changed"), false)))
                .with(
                        "loopback",
                        plain,
                        run(
                                4,
                                22e6,
                                new Hops(45, 46),
                                plain,
                                new Outcome(List.of("subscriber 0: 3 messages lost"), List.of(), false)))
                .with("loopback", unknown, run(4, 79e3, Hops.NONE, unknown, new Outcome(List.of(), List.of(), true)))
                .with(LaneResult.skipped(
                        "25gbe", LaneKind.GBE_25, true, "no user namespaces: unshare: Operation not permitted"))
                .with(Ending.interrupted("Ctrl-C"));
    }

    public static Parameters parameters(String body, int subscribers) {
        return new Parameters(new Parameters.Body(body, 100), 1, subscribers, 0, 0, 0);
    }

    /** A loopback lane with one cell, whose runs give these messages a second, one a round, on cores that are near. */
    public static Shootout loopback(double... messagesPerSecond) {
        return loopback(new Hops(45, 46), messagesPerSecond);
    }

    /** The same with other hops. */
    public static Shootout loopback(Hops hops, double... messagesPerSecond) {
        Cell cell = new Cell(parameters("100", 1), null, List.of());
        Shootout shootout = empty().with(
                        new LaneResult("loopback", LaneKind.LOOPBACK, false, null, null, Places.NEAR, List.of()))
                .with(Ending.complete());
        for (int i = 0; i < messagesPerSecond.length; i++) {
            shootout = shootout.with("loopback", cell, run(i + 1, messagesPerSecond[i], hops, cell, Outcome.PASS));
        }
        return shootout;
    }

    /** A run of ten seconds. */
    public static RunRecord run(int round, double messagesPerSecond, Hops hops, Cell cell, Outcome outcome) {
        int subscribers = cell.parameters().subscribers();
        long out = (long) (messagesPerSecond * 10);
        int frame = HEADER + (int) cell.parameters().body().meanBytes();
        Flow flowOut = new Flow(out, out * frame, 10 * SECOND);
        Flow flowIn = new Flow(out / subscribers, out / subscribers * frame, 10 * SECOND);
        Random random = new Random(round);
        return new RunRecord(
                new Moment(round, "2026-01-31T12:0%d:00Z".formatted(round), 2 * SECOND, 10 * SECOND),
                hops,
                new Throughput(
                        flowIn,
                        flowOut,
                        Double.NaN,
                        cell.ceilings() == null ? Double.NaN : cell.ceilings().fraction(flowOut),
                        timeline(messagesPerSecond, subscribers, frame, random)),
                new Delays(delays(round, 42_000), subscribers > 1 ? delays(round, 6_000) : null, 1_024),
                new Correctness(
                        true,
                        subscribers(subscribers, out, outcome.passed()),
                        cell.parameters().rate() == 0
                                ? Schedule.NONE
                                : new Schedule(800_000, 12, 1_400_000, "usual priority")),
                new Resources(
                        List.of(
                                new ProcessRecord("relay", 9.1 + round / 10.0, 180 << 20, "here"),
                                new ProcessRecord("publisher 0", 4.2, 90 << 20, "here"),
                                new ProcessRecord("subscriber 0", 5.4, -1, "here")),
                        new BoundBy("relay CPU", List.of("relay: 0.97 of a core", "link: 0.31 of its ceiling"))),
                outcome);
    }

    private static List<TimelinePoint> timeline(double rate, int subscribers, int frame, Random random) {
        return IntStream.rangeClosed(1, 60)
                .mapToObj(i -> {
                    double now = rate * Math.min(1, i / 6.0) * (0.98 + 0.04 * random.nextDouble());
                    return new TimelinePoint(
                            i * SECOND / 5, now / subscribers, now, now / subscribers * frame, now * frame, 4_096L * i);
                })
                .toList();
    }

    private static List<SubscriberRecord> subscribers(int count, long out, boolean passed) {
        List<SubscriberRecord> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(new SubscriberRecord(
                    i,
                    out / count,
                    passed ? 0 : 3,
                    0,
                    0,
                    0,
                    passed ? 0 : 1,
                    i == 0 && !passed ? "reset, \"by\" peer" : null));
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
