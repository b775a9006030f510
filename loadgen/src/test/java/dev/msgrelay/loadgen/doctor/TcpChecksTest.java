package dev.msgrelay.loadgen.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.TreeTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TcpChecksTest extends TreeTest {
    private static final String IPV4 = "proc/sys/net/ipv4/";

    @ParameterizedTest
    @CsvSource({"cubic, FINE", "reno, FINE", "bbr, NOTE", "vegas, NOTE"})
    void congestionControl(String chosen, Level level) {
        files.with(IPV4 + "tcp_congestion_control", chosen).with(IPV4 + "tcp_available_congestion_control", "a b");
        Finding finding = TcpChecks.congestionControl(files.tree());
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.figures()).containsEntry("chosen", chosen).containsEntry("available", "a b");
    }

    @ParameterizedTest
    @CsvSource({
        // 33,554,432 bytes / 1,250,000 bytes per ms = 26.8 ms
        "4096 131072 33554432, FINE,    up to 33.6 MB,   26.8 ms",
        "4096 16384  4000000,  FINE,    up to 4.0 MB,    3.2 ms",
        "4096 16384  3999999,  NOTE,    up to 4.0 MB,    3.2 ms",
        "4096 16384  999999,   WARNING, up to 1000 kB,   0.8 ms",
        "4096 16384,           NOTE,    unknown,         in flight",
        "4096 16384 much,      NOTE,    unknown,         in flight",
    })
    void buffers(String content, Level level, String value, String meaning) {
        Finding finding =
                TcpChecks.buffers(files.with(IPV4 + "tcp_wmem", content).tree(), "tcp_wmem");
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.value()).isEqualTo(value);
        assertThat(finding.meaning()).contains(meaning);
    }

    @Test
    void limitsOfExplicitSizesDoNotMatter() {
        assertThat(TcpChecks.socketLimits(files.tree()).value()).isEqualTo("unknown");
        files.with("proc/sys/net/core/rmem_max", "212992").with("proc/sys/net/core/wmem_max", "4194304");
        Finding finding = TcpChecks.socketLimits(files.tree());
        assertThat(finding.level()).isEqualTo(Level.FINE);
        assertThat(finding.value()).isEqualTo("rmem_max 213 kB, wmem_max 4.2 MB");
    }

    @Test
    void theBacklogIsComparedWithWhatTheRelayAsksFor() {
        files.with("proc/sys/net/core/somaxconn", "1023");
        assertThat(TcpChecks.backlog(files.tree()).level()).isEqualTo(Level.NOTE);
        files.with("proc/sys/net/core/somaxconn", "1024");
        assertThat(TcpChecks.backlog(files.tree()).level()).isEqualTo(Level.FINE);
    }

    @Test
    void withoutTimeStampsTheCeilingIsAnotherOne() {
        files.with(IPV4 + "tcp_timestamps", "1");
        assertThat(TcpChecks.timestamps(files.tree()).level()).isEqualTo(Level.FINE);
        files.with(IPV4 + "tcp_timestamps", "0");
        assertThat(TcpChecks.timestamps(files.tree()).meaning()).contains("--no-timestamps");
    }

    @Test
    void noLoopbackNoRuns() {
        assertThat(TcpChecks.loopback(null).level()).isEqualTo(Level.FINE);
        Finding refused = TcpChecks.loopback("Cannot assign requested address");
        assertThat(refused.level()).isEqualTo(Level.IMPOSSIBLE);
        assertThat(refused.value()).isEqualTo("Cannot assign requested address");
    }
}
