package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.RealLanes;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.rig.LoadRun;
import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

class EmulatedLaneTest {
    private static final Timing SHORT = new Timing(Duration.ofMillis(100), Duration.ofMillis(300));
    /** On a machine with much to do, each process gets its turn within it. */
    private static final Timing SECOND = new Timing(Duration.ofMillis(100), Duration.ofSeconds(1));

    private static final LaneSpec GIGABIT = LaneSpec.parse("1gbe");

    @BeforeAll
    static void whereAllowed() throws Exception {
        RealLanes.assumePossible();
    }

    @ParameterizedTest
    @EnumSource(names = "UNIX", mode = EnumSource.Mode.EXCLUDE)
    void messagesGoThroughTheRelayAndAcrossTheLinkUnharmed(Transport transport) throws Exception {
        try (Way way = Way.open(GIGABIT, List.of("--slow-subscriber", "backpressure"), RelayContestant.JAVA_OPTIONS)) {
            RunRecord result = LoadRun.alone(
                    way.plan(Load.oneToOne(100).withTransport(transport), SECOND, Rig.OWN), 1, RunObserver.NONE);
            assertThat(result.correctness().subscribers().get(0).lost()).isZero();
            assertThat(result.correctness().sent()).isPositive();
            assertThat(result.resources().processes())
                    .as("the JVMs are the processes that we started, not something around them")
                    .allSatisfy(use -> {
                        assertThat(use.cpuSeconds()).isNotNegative();
                        assertThat(use.peakResidentBytes()).isGreaterThan(16 << 20);
                    });
            assertThat(result.resources().processes())
                    .as("each alone may have used less than a tick of the clock")
                    .anySatisfy(use -> assertThat(use.cpuSeconds()).isPositive());
        }
    }

    /** Keeping it is the kernel's. */
    @Test
    void theRateIsSetAtBothEnds() throws Exception {
        try (Lane lane = Lane.open(GIGABIT, new Subprocess())) {
            for (Site end : List.of(lane.near(), lane.far())) {
                assertThat(RealLanes.at(end, "tc", "qdisc", "show", "dev", "lane0"))
                        .contains("tbf", "rate 1Gbit");
            }
        }
    }

    /**
     * Large packets that TCP leaves uncut are counted as the segments that they stand for, each with its
     * headers. Thorough, as it is one more run over two more links.
     */
    @Tag("thorough")
    @Test
    void theKernelCountsFullSegmentsWithTheirHeadersAndNoOtherLaneKnowsOfThem() throws Exception {
        try (Lane lane = Lane.open(GIGABIT.withMtu(9_000), new Subprocess());
                Lane other = Lane.open(GIGABIT, new Subprocess())) {
            assertThat(lane.near().address()).isEqualTo(other.near().address());
            long before = RealLanes.sentFrom(other.near()).path("bytes").asLong(-1);
            for (Site end : List.of(lane.near(), lane.far())) {
                assertThat(RealLanes.at(end, "ip", "link", "show", "lane0")).contains("mtu 9000");
            }
            LoadRun.alone(new Way(lane, Places.NEAR, null).sender(SHORT), 1, RunObserver.NONE);
            JsonNode sent = RealLanes.sentFrom(lane.near());
            double bytesPerPacket = sent.path("bytes").asLong(-1)
                    / (double) sent.path("packets").asLong(-1);
            assertThat(bytesPerPacket).as("more than fits in a usual one").isGreaterThan(1_514);
            assertThat(bytesPerPacket).as("with one header of Ethernet each").isLessThanOrEqualTo(9_014);
            assertThat(RealLanes.sentFrom(other.near()).path("bytes").asLong(-1) - before)
                    .as("at most what IPv6 says to find its neighbours")
                    .isLessThan(10_000);
        }
    }

    @Test
    void aUserNamespaceWillDo() throws Exception {
        Tool asUser = command -> {
            boolean asRoot =
                    command.get(0).equals("unshare") && command.contains("--net") && !command.contains("--user");
            return asRoot ? new Tool.Completed(1, "not as root") : RealLanes.TOOL.run(command);
        };
        try (Lane lane = Lane.open(GIGABIT, asUser)) {
            assertThat(RealLanes.holders(lane)).allSatisfy(pid -> assertThat(RealLanes.userNamespaceOf(pid))
                    .isNotEqualTo(
                            RealLanes.userNamespaceOf(ProcessHandle.current().pid())));
            RunRecord result = LoadRun.alone(new Way(lane, Places.NEAR, null).sender(SHORT), 1, RunObserver.NONE);
            System.out.printf(
                    Locale.ROOT,
                    "%,.0f bytes/s in a user namespace%n",
                    result.throughput().out().bytesPerSecond());
            assertThat(RealLanes.sentFrom(lane.far()).path("bytes").asLong(-1)).isGreaterThan(1_514);
        }
    }

    @Test
    void nothingIsLeftWhenItIsClosed() throws Exception {
        List<String> namespaces = new ArrayList<>();
        List<Long> holders;
        Set<Long> processes;
        try (Lane lane = Lane.open(GIGABIT, new Subprocess())) {
            holders = RealLanes.holders(lane);
            for (long pid : holders) {
                namespaces.add(RealLanes.namespaceOf(pid));
            }
            processes = RealLanes.processes();
            assertThat(RealLanes.namespacesOf(processes)).containsAll(namespaces);
            assertThat(NetworkInterface.getByName("lane0"))
                    .as("nothing of it is seen outside")
                    .isNull();
        }
        assertThat(holders).allSatisfy(pid -> assertThat(ProcessHandle.of(pid)).isEmpty());
        assertThat(RealLanes.namespacesOf(processes)).doesNotContainAnyElementsOf(namespaces);
    }

    @Test
    void aCommandThatFailsIsNamedAndNothingIsLeft() {
        Set<Long> entered = new ConcurrentSkipListSet<>();
        Tool withoutRates = command -> {
            if (command.get(0).equals("nsenter") && command.contains("--target")) {
                entered.add(Long.parseLong(command.get(command.indexOf("--target") + 1)));
                if (command.contains("tbf")) {
                    return new Tool.Completed(2, "RTNETLINK answers: No such file or directory\nWe have an error");
                }
            }
            return RealLanes.TOOL.run(command);
        };
        assertThatThrownBy(() -> Lane.open(GIGABIT, withoutRates))
                .isInstanceOf(IOException.class)
                .hasMessage("'tc qdisc add dev lane0 root tbf rate 1000000000bit burst 500000 latency 50ms' failed:"
                        + " RTNETLINK answers: No such file or directory; We have an error");
        assertThat(entered).isNotEmpty();
        assertThat(entered).allSatisfy(pid -> assertThat(ProcessHandle.of(pid)).isEmpty());
    }
}
