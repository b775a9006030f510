package dev.msgrelay.loadgen.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.host.Offloads;
import dev.msgrelay.loadgen.host.Offloads.Kind;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkChecksTest {
    @Test
    void aLinksSpeedAndWhatFollowsFromIt() {
        Finding ten = LinkChecks.link(up(1_500, OptionalLong.of(10_000), "full"));
        assertThat(ten.level()).isEqualTo(Level.FINE);
        assertThat(ten.value()).isEqualTo("10 Gbit/s, full duplex");
        assertThat(ten.meaning()).contains("ceiling --interface eth0");
        assertThat(LinkChecks.link(up(1_500, OptionalLong.of(100), "full")).level())
                .isEqualTo(Level.NOTE);
        assertThat(LinkChecks.link(up(1_500, OptionalLong.of(1_000), "half")).level())
                .isEqualTo(Level.WARNING);
        assertThat(LinkChecks.link(up(1_500, OptionalLong.of(Long.MAX_VALUE), "full"))
                        .value())
                .isEqualTo("9223372036854775807 Mbit/s, full duplex");
        Finding unknown = LinkChecks.link(up(1_500, OptionalLong.empty(), null));
        assertThat(unknown.level()).isEqualTo(Level.NOTE);
        assertThat(unknown.value()).isEqualTo("up, speed unknown");
        assertThat(unknown.meaning()).contains("--link");
    }

    @Test
    void whatIsDownCarriesNothingAndLoopbackHasNoRate() {
        NetInterface down = new NetInterface(
                "eth1", false, false, "down", OptionalInt.of(1_500), OptionalLong.of(1_000), Optional.empty());
        assertThat(LinkChecks.link(down).level()).isEqualTo(Level.WARNING);
        assertThat(LinkChecks.link(down).value()).isEqualTo("down");
        NetInterface lo = new NetInterface(
                "lo", true, true, "unknown", OptionalInt.of(65_536), OptionalLong.empty(), Optional.empty());
        assertThat(LinkChecks.link(lo).meaning()).contains("ceiling");
        // an IP packet holds 65,535: 65,535 - 52
        assertThat(LinkChecks.mtu(lo).meaning()).contains("segments of 65,483 bytes");
    }

    @ParameterizedTest
    @CsvSource({
        // 1448 / 1538 = 94.15 %; 1348 / 1438 = 93.74 %; 8948 / 9038 = 99.00 %
        "1500, FINE, '1,448 bytes, at most 94.1 %'",
        "1400, NOTE, '1,348 bytes, at most 93.7 %'",
        "9000, FINE, '8,948 bytes, at most 99.0 %'",
        "60,   NOTE, too small for IP",
    })
    void anMtuGivesSegments(int mtu, Level level, String meaning) {
        Finding finding = LinkChecks.mtu(up(mtu, OptionalLong.empty(), null));
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.value()).isEqualTo("" + mtu);
        assertThat(finding.meaning()).contains(meaning);
    }

    @Test
    void anMtuMayBeUnknown() {
        NetInterface unknown = new NetInterface(
                "tun0", true, false, "up", OptionalInt.empty(), OptionalLong.empty(), Optional.empty());
        assertThat(LinkChecks.mtu(unknown).value()).isEqualTo("unknown");
    }

    @Test
    void offloads() {
        Finding on = offloads(Map.of(Kind.TSO, true, Kind.GSO, true, Kind.GRO, true));
        assertThat(on.level()).isEqualTo(Level.FINE);
        assertThat(on.value()).isEqualTo("tso, gso, gro");
        Finding noTso = offloads(Map.of(Kind.TSO, false, Kind.GSO, true, Kind.GRO, true));
        assertThat(noTso.level()).isEqualTo(Level.NOTE);
        assertThat(noTso.value()).isEqualTo("no tso, gso, gro");
        assertThat(noTso.meaning()).contains("more CPU time per byte sent");
        assertThat(offloads(Map.of(Kind.TSO, false, Kind.GSO, false)).meaning()).contains("every segment sent");
        assertThat(offloads(Map.of(Kind.GRO, false)).meaning()).contains("every segment received");
        assertThat(LinkChecks.offloads("eth0", Optional.empty()).value()).isEqualTo("unknown");
    }

    @Test
    void emulatedLinks() {
        assertThat(LinkChecks.lanes(new LaneTools("as root", null)).level()).isEqualTo(Level.FINE);
        Finding not = LinkChecks.lanes(new LaneTools(null, "no command tc here"));
        assertThat(not.level()).isEqualTo(Level.NOTE);
        assertThat(not.meaning()).contains("no command tc here");
    }

    private static Finding offloads(Map<Kind, Boolean> states) {
        return LinkChecks.offloads("eth0", Optional.of(new Offloads(states, "a test")));
    }

    private static NetInterface up(int mtu, OptionalLong megabits, String duplex) {
        return new NetInterface("eth0", true, false, "up", OptionalInt.of(mtu), megabits, Optional.ofNullable(duplex));
    }
}
