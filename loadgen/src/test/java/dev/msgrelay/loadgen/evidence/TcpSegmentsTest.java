package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TcpSegmentsTest {
    private static final String SNMP = """
            Ip: Forwarding DefaultTTL InReceives
            Ip: 1 64 480000000
            Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors
            Tcp: 1 200 120000 -1 136988 135302 1596 65105 0 479980656 480984510 641172 0 40255 0
            Udp: InDatagrams NoPorts
            Udp: 1 2
            """;

    @Test
    void recordedText() {
        assertThat(TcpSegments.parse(SNMP)).contains(new TcpSegments(480984510, 641172));
    }

    @Test
    void sumsAndDifferences() {
        assertThat(new TcpSegments(10, 3).plus(new TcpSegments(5, 1)).minus(new TcpSegments(2, 2)))
                .isEqualTo(new TcpSegments(13, 2));
    }

    @Test
    void otherTexts() {
        assertThat(TcpSegments.parse("")).isEmpty();
        assertThat(TcpSegments.parse("Tcp: OutSegs RetransSegs\n")).isEmpty();
        assertThat(TcpSegments.parse("Tcp: OutSegs RetransSegs\nTcp: 1\n")).isEmpty();
        assertThat(TcpSegments.parse("Tcp: OutSegs Other\nTcp: 1 2\n")).isEmpty();
        assertThat(TcpSegments.parse("Tcp: OutSegs RetransSegs\nTcp: 1 x\n")).isEmpty();
    }
}
