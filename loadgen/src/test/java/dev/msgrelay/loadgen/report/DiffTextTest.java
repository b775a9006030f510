package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Site;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiffTextTest {
    private static final Load LOAD = Load.oneToOne(100);

    @Test
    void twoTimesOfOneMachineAreComparedRoundsAgainstRounds() {
        Results a = MadeUp.of(MadeUp.loopback(
                MadeUp.cell(LOAD, new Given(1_000_000, 1), new Given(1_200_000, 1)),
                MadeUp.cell(LOAD.withRate(500), new Given(500, 50_000))));
        Results b = MadeUp.of(MadeUp.loopback(
                MadeUp.cell(LOAD, new Given(2_000_000, 1), new Given(2_400_000, 1)),
                MadeUp.cell(LOAD.withRate(500), new Given(500, 50_000))));
        assertThat(DiffText.of(a, b))
                .contains("A: 1970-01-01T00:00:00Z, loadgen ", "two times: a change may be the hour's")
                .contains("\n1 -> 1, body 100, full speed; p50 and p99 at 500 msg/s\n")
                .contains("  lane      in   msg/s A      B  B/A   p99 A      B  B/A\n")
                .contains("  loopback  TCP    1.1 M  2.2 M  2.00  50 us  50 us  (1.00)\n")
                .doesNotContain("differs", "not compared");
    }

    @Test
    void twoMachinesAreToldApartAndTheirSpeedsHaveNoRatio() {
        Results a = MadeUp.of(MadeUp.loopback(MadeUp.cell(LOAD, new Given(1_000_000, 1))));
        Machine other = new Machine(
                8, "AMD EPYC 9R45", "OpenJDK 64-Bit Server VM 17.0.15+6", "Linux 6.18.44", "bbr", Double.NaN);
        Results b = Results.of(a.origin(), List.of(new Site("here", other))).withLanes(a.lanes());
        assertThat(DiffText.of(a, b))
                .contains("differs: cores, A 2, B 8\n", "differs: TCP congestion control, A cubic, B bbr\n")
                .contains("two machines or systems: shares of a link may be compared", "1 M  1 M\n")
                .doesNotContain("B/A", "differs: kernel");
    }

    @Test
    void whatIsNotAlikeIsNotCompared() {
        Results a = MadeUp.of(MadeUp.loopback(MadeUp.cell(LOAD, new Given(1_000_000, 1).beside(0.5))), link("1g"));
        Results b = MadeUp.of(MadeUp.loopback(MadeUp.cell(LOAD, new Given(1_000_000, 1))), link("10g"));
        assertThat(DiffText.of(a, b))
                .contains("1 M  1 M  -\n", "not compared: a: A 1 Gbit/s, MTU 1500, B 10 Gbit/s, MTU 1500\n");
        assertThat(DiffText.of(a, MadeUp.of(link("1g"))))
                .contains("not compared: loopback, 1 -> 1, body 100, full speed: in A alone\n", "1 M  1 M  (1.00)\n");
        assertThat(DiffText.of(MadeUp.of(link("1g")), a))
                .contains("not compared: loopback, 1 -> 1, body 100, full speed: in B alone\n");
    }

    private static LaneResult link(String speed) {
        Link link = new Link(LinkSpeed.parse(speed), SegmentFormat.usual(1_500));
        return new LaneResult(
                "a",
                LaneKind.REMOTE,
                false,
                null,
                link,
                Places.NEAR,
                List.of(MadeUp.cell(LOAD, new Given(1_000_000, 1))));
    }
}
