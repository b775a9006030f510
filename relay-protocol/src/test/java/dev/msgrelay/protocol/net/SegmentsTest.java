package dev.msgrelay.protocol.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SegmentsTest {
    /** Those of 65,536 are what TCP_INFO says of connections over Linux' loopback. */
    @ParameterizedTest
    @CsvSource({
        "1500, false, 1448",
        "1500, true, 1428",
        "9000, false, 8948",
        "9000, true, 8928",
        "65535, false, 65483",
        "65535, true, 65463",
        "65536, false, 65483",
        "65536, true, 65464",
        "1000000, true, 65503",
    })
    void aSegmentIsTheMtuLessItsHeaders(int mtu, boolean ipv6, int payload) {
        assertThat(Segments.payload(mtu, ipv6)).isEqualTo(payload);
    }

    @ParameterizedTest
    @CsvSource({"0, false", "52, false", "72, true", "-1, true"})
    void anMtuThatLeavesNothingIsTakenForEthernet(int mtu, boolean ipv6) {
        assertThat(Segments.payload(mtu, ipv6)).isEqualTo(1448);
        assertThat(Segments.payload(73, true)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "131072, 65483, 130966",
        "262144, 65464, 261856",
        "131072, 8948, 125272",
        "131072, 1448, 130320",
        "65483, 65483, 65483",
        "1000, 65483, 65483",
        "262144, 65536, 262144",
    })
    void aWriteIsAWholeNumberOfSegmentsAndOneAtLeast(int limit, int payload, int bytes) {
        assertThat(Segments.wholeUpTo(limit, payload)).isEqualTo(bytes);
    }

    @Test
    void asksTheInterfaceOfTheLocalAddress() {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertThat(Segments.mtu(loopback)).isPositive();
        assertThat(Segments.payload(loopback)).isEqualTo(Segments.payload(Segments.mtu(loopback), false));
    }

    @Test
    void guessesWhereThereIsNoInterface() {
        InetSocketAddress elsewhere = new InetSocketAddress("192.0.2.1", 1);
        assertThat(Segments.mtu(elsewhere)).isZero();
        assertThat(Segments.payload(elsewhere)).isEqualTo(Segments.ETHERNET);
        assertThat(Segments.payload(UnixDomainSocketAddress.of("x"))).isEqualTo(Segments.UNIX_PIECE);
    }
}
