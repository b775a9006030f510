package dev.msgrelay.loadgen.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.message.SizeTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LaneSpecTest {
    @ParameterizedTest
    @CsvSource({
        "loopback, 0,    false, loopback",
        "UNIX,     0,    false, unix",
        "1gbe,     1500, true,  '1gbe (emulated, MTU 1500)'",
        "10GbE,    1500, true,  '10gbe (emulated, MTU 1500)'",
        "25gbe,    1500, true,  '25gbe (emulated, MTU 1500)'",
    })
    void namesAndLabels(String name, int mtu, boolean emulated, String label) {
        LaneSpec spec = LaneSpec.parse(name);
        assertThat(spec.mtu()).isEqualTo(mtu);
        assertThat(spec.isEmulated()).isEqualTo(emulated);
        assertThat(spec.label()).isEqualTo(label);
    }

    @ParameterizedTest
    @EnumSource(LaneKind.class)
    void aLabelSaysEmulatedWhereItIs(LaneKind kind) {
        assertThat(LaneSpec.of(kind).label().contains("emulated")).isEqualTo(kind.isEmulated());
        assertThat(LaneSpec.of(kind).emulatedLink() != null).isEqualTo(kind.isEmulated());
    }

    @Test
    void anUnknownNameIsToldWithTheKnownOnes() {
        assertThatThrownBy(() -> LaneSpec.parse("40gbe"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lane '40gbe' is none of loopback, unix, 1gbe, 10gbe, 25gbe");
    }

    @Test
    void onlyEmulatedLanesHaveAChosenMtu() {
        assertThat(LaneSpec.parse("10gbe").withMtu(9_000).label()).isEqualTo("10gbe (emulated, MTU 9000)");
        assertThat(LaneSpec.parse("loopback").withMtu(9_000)).isEqualTo(LaneSpec.parse("loopback"));
    }

    /** tc counts 14 + 1,500 bytes of a full segment of 1,448. */
    @Test
    void theCeilingIsThatOfTrafficControl() {
        double bytes = LaneSpec.parse("1gbe")
                .emulatedLink()
                .batched(SizeTable.fixed(100))
                .bytesPerSecond();
        assertThat(bytes).isEqualTo(125e6 * 1_448 / 1_514);
    }

    @Test
    void theBucketHoldsFourMillisecondsAndTheLargestPacket() {
        TokenBucket ten = TokenBucket.of(LaneKind.GBE_10.speed());
        assertThat(ten.words()).isEqualTo("tbf rate 10000000000bit burst 5000000 latency 50ms");
        for (LaneKind kind : LaneKind.values()) {
            if (kind.isEmulated()) {
                assertThat(TokenBucket.of(kind.speed()).burst()).isGreaterThan(TokenBucket.LARGEST_PACKET);
            }
        }
    }
}
