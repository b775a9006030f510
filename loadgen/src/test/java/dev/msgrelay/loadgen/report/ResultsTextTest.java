package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTextTest {
    private static final Load LOAD = Load.oneToOne(100);
    private static final Load PACED = LOAD.withRate(20_000);
    private static final Given FAST = new Given(2_000_000, 1_000);
    private static final Given SLOW = new Given(1_000_000, 1_000);
    private static final Given TIMELY = new Given(20_000, 50_000);
    private static final Link GIGABIT = new Link(LinkSpeed.parse("1g"), SegmentFormat.usual(1_500));

    @Test
    void theOutcomeIsARowForEachLaneAndWayInAndASentenceForEachLane() {
        Results results = MadeUp.of(
                MadeUp.loopback(
                        MadeUp.cell(LOAD, FAST),
                        MadeUp.cell(LOAD.withTransport(Transport.UNIX_IN), FAST),
                        MadeUp.cell(PACED, TIMELY),
                        MadeUp.cell(PACED.withTransport(Transport.UNIX_IN), TIMELY)),
                gigabit(shared(LOAD, 0.92, SLOW), shared(LOAD.withTransport(Transport.UNIX_IN), 0.9, SLOW)));
        assertThat(told(results))
                .startsWith("""
                        1 -> 1, body 100, full speed; p50 and p99 at 20,000 msg/s
                          lane      in    msg/s  Gbit/s  share    p50    p99  cores  bound by
                          loopback  TCP     2 M    1.73      -  50 us  50 us   0.50  relay
                          loopback  Unix    2 M    1.73      -  50 us  50 us   0.50  relay
                          1gbe*     TCP     1 M    0.86   0.92      -      -   0.50  relay
                          1gbe*     Unix    1 M    0.86   0.90      -      -   0.50  relay
                        """)
                .contains(
                        "\nloopback: 1.73 Gbit/s; bound by relay\n",
                        "\n1gbe (emulated): 0.92 of the link, 0.50 of loopback by TCP; bound by relay\n",
                        "\n6 of 6 runs count\n",
                        "\n*: emulated, a rate without delay or loss",
                        "\n1gbe (emulated): 1 Gbit/s, MTU 1500\n")
                .doesNotContain("to do", "?:");
        assertThat(told(results).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(ResultsText.WIDTH));
    }

    @Test
    void onlyPublishersOnTheSameKindOfSocketAreSetAgainstEachOther() {
        LaneResult unix = lane("unix", LaneKind.UNIX, MadeUp.cell(LOAD.withTransport(Transport.UNIX), SLOW));
        LaneResult remote = lane("a", LaneKind.REMOTE, MadeUp.cell(LOAD, SLOW));
        LaneResult both = MadeUp.loopback(
                MadeUp.cell(LOAD, FAST), MadeUp.cell(LOAD.withTransport(Transport.UNIX_IN), new Given(4_000_000, 1)));
        assertThat(told(MadeUp.of(both, unix, remote)))
                .contains(
                        "\nunix: 0.86 Gbit/s, 0.25 of loopback by Unix; bound by",
                        "\na: 0.86 Gbit/s, 0.50 of loopback by TCP; bound by");
        assertThat(told(MadeUp.of(unix, remote))).contains("\na: 0.86 Gbit/s; bound by");
    }

    @Test
    void whatDoesNotCountIsMarkedInOneWayAndItIsSaidWhatToDo() {
        Results results = MadeUp.of(
                MadeUp.loopback(MadeUp.cell(LOAD, FAST), MadeUp.cell(PACED, TIMELY.beside(0.5))),
                gigabit(shared(LOAD, 0.92, SLOW.beside(0.5))));
        assertThat(told(results))
                .contains(
                        "  2 M ", "50 us?", "1 M?", "0.92?", "\n? 1gbe (emulated): 0.92 of the link; bound by relay\n")
                .contains(
                        "\nloopback: 1.73 Gbit/s; bound by", "\n?: no run of it counts; neither quote nor compare it\n")
                .contains("\n1 of 3 runs count; 2 on a disturbed machine\n")
                .contains("to do: wait until the machine is quiet; or more rounds: --rounds 3; or accept:")
                .contains("round 1, disturbed: other programs took 50 % of all cores")
                .doesNotContain("no run counts", "not comparable", "left out", "of loopback");
    }

    @Test
    void atRatesAloneTheOutcomeIsTheLatency() {
        Results results = MadeUp.of(
                MadeUp.loopback(MadeUp.cell(PACED, TIMELY)),
                lane("unix", LaneKind.REMOTE, MadeUp.cell(PACED, new Given(20_000, 75_000).late(3_000))));
        assertThat(told(results))
                .contains("lane      in   msg/s    p50    p99  p99.9  cores  bound by")
                .contains(
                        "loopback: p50 50 us, p99 50 us; bound by",
                        "unix: p50 75 us, p99 75 us, 1.50 of loopback by TCP")
                .contains("schedule not kept");
    }

    @Test
    void otherProgramsGetEveryFigureInOneTable() {
        Results results = MadeUp.of(
                MadeUp.loopback(MadeUp.cell(LOAD, SLOW, FAST.beside(0.5)), MadeUp.cell(PACED, TIMELY)),
                gigabit(shared(LOAD, 0.92, SLOW)));
        assertThat(TextTable.csv(new LaneSummary(results).table()).lines())
                .containsExactly(
                        "load,lane,in,msg/s,Gbit/s,share,\"p50, ns\",\"p99, ns\",\"p99.9, ns\",cores,resent,bound by,"
                                + "full speed runs,latency runs",
                        "\"1 -> 1, body 100, full speed; p50 and p99 at 20,000 msg/s\",loopback,TCP,1000000,0.864,,"
                                + "50015,50015,,0.5,,relay,1 of 2,1 of 1",
                        "\"1 -> 1, body 100, full speed\",1gbe*,TCP,1000000,0.864,0.92,,,,0.5,,relay,1 of 1,");
    }

    @Test
    void everythingThatWasMeasuredSkippedOrFailedIsThere() {
        Results results = MadeUp.of(
                        MadeUp.loopback(
                                MadeUp.cell(LOAD, SLOW, FAST, new Given(9_000_000, 1).beside(0.5)),
                                MadeUp.cell(LOAD.withRate(500), new Given(500, 1_000_000).stoodStill(301))),
                        LaneResult.skipped("10gbe", LaneKind.GBE_10, true, "not allowed"))
                .withNotes(List.of("a note"))
                .with(new Ending(Ending.How.INTERRUPTED, "Ctrl-C"));
        assertThat(told(results))
                .contains("  loopback  TCP  1.5 M ", "0.86-1.73", "2 of 3", "10gbe (emulated): skipped: not allowed\n")
                .contains("other programs took 50 % of all cores", "deliveries stood still", "bound by")
                .contains("3 of 4 runs count; 1 on a disturbed machine\n", "a note\n")
                .contains("PARTIAL: interrupted after 4 runs");
    }

    @Test
    void theGravestFewRemarksOfACellAreToldAndTheOthersCounted() {
        Given bad = SLOW.stoodStill(301).beside(0.5);
        Cell cell = MadeUp.cell(LOAD, bad, bad, bad);
        cell.runs().add(RunRecord.partial(4, "", List.of("relay ended with exit code 137")));
        assertThat(told(MadeUp.of(MadeUp.loopback(cell))))
                .contains("loopback: 1 -> 1, body 100, full speed\n  FAIL round 4: relay ended with exit code 137\n")
                .contains("  round 1: deliveries stood still 1 time", "  round 1, disturbed: ", "  and 4 more\n")
                .contains("0 of 4 runs count; 3 on a disturbed machine, 1 failed or partial\n")
                .doesNotContain("round 2");
    }

    @Test
    void unlikeCongestionControlIsToldInPlaceOfAShare() {
        Senders cubic = new Senders(Congestion.of("cubic"), Congestion.of("cubic"));
        Senders bbr = new Senders(Congestion.of("cubic"), Congestion.of("bbr"));
        assertThat(told(MadeUp.of(MadeUp.loopback(MadeUp.besideThePlainRelay(bbr, cubic))))
                        .replaceAll("\n +", " "))
                .contains(
                        "loopback: TCP congestion control: cubic of the publishers, bbr of the relay\n",
                        "no share of unlike congestion control: ");
        assertThat(told(MadeUp.of(MadeUp.loopback(MadeUp.besideThePlainRelay(cubic, cubic)))))
                .doesNotContain("unlike");
    }

    @Test
    void ceilingsOfOneLoadStandInOneTable() {
        Cell direct = MadeUp.cell(LOAD.withCheck(Check.NONE), FAST);
        Cell plain = MadeUp.cell(LOAD, SLOW);
        assertThat(ResultsText.of(MadeUp.of(MadeUp.loopback(
                        new Cell("direct", direct.load(), direct.runs()),
                        new Cell("plain relay", plain.load(), plain.runs())))))
                .startsWith("""
                        1 -> 1, body 100, full speed
                          lane                   in   msg/s  Gbit/s  cores  bound by
                          loopback, direct       TCP    2 M    1.73   0.50  relay
                          loopback, plain relay  TCP    1 M    0.86   0.50  relay
                        """)
                .containsOnlyOnce("  loopback, plain relay  TCP     1 M   1 us");
    }

    @Test
    void aSecondHostBehindALinkOfUnknownSpeedIsStillASecondHost() {
        assertThat(told(MadeUp.of(lane("remote", LaneKind.REMOTE, MadeUp.cell(LOAD, SLOW)))))
                .contains("remote: a link whose speed nobody tells\n");
    }

    private static String told(Results results) {
        return ResultsText.of(LaneSummary.withSummary(results));
    }

    private static LaneResult lane(String name, LaneKind kind, Cell... cells) {
        Places places = kind == LaneKind.REMOTE ? new Places(Place.FAR, Place.FAR) : Places.NEAR;
        return new LaneResult(name, kind, false, null, null, places, List.of(cells));
    }

    private static LaneResult gigabit(Cell... cells) {
        Places places = new Places(Place.NEAR, Place.FAR);
        return new LaneResult("1gbe", LaneKind.GBE_1, true, null, GIGABIT, places, List.of(cells));
    }

    private static Cell shared(Load load, double share, Given run) {
        Cell cell = MadeUp.cell(load, run);
        Ceilings ceilings = Ceilings.of(GIGABIT, load.sizes());
        return new Cell(Cell.RELAY, load, ceilings, List.of(new Share(1, Double.NaN, share)), cell.runs());
    }
}
