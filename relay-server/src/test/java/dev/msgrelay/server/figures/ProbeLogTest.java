package dev.msgrelay.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProbeLogTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final ProbeLog log = new ProbeLog();

    private static InetAddress address(int number) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 1, (byte) (number >> 8), (byte) number});
    }

    @Test
    void onceAnHourForAnAddress() throws Exception {
        assertThat(log.note(address(1), 5)).isZero();
        for (int i = 1; i <= 7200; i++) {
            assertThat(log.note(address(1), i)).isEqualTo(ProbeLog.NOT_NOW);
        }
        assertThat(log.note(address(2), HOUR / 2)).isZero();
        assertThat(log.note(null, HOUR / 2)).as("Unix sockets").isZero();
        assertThat(log.note(null, HOUR / 2)).isEqualTo(ProbeLog.NOT_NOW);
        assertThat(log.note(address(1), HOUR + 5)).isEqualTo(7200);
        assertThat(log.note(address(1), HOUR + 6)).isEqualTo(ProbeLog.NOT_NOW);
        assertThat(log.note(address(1), 2 * HOUR + 5)).isEqualTo(1);
    }

    @Test
    void addressesAreBounded() throws Exception {
        int lines = 0;
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 10_000; i++) {
                lines += log.note(address(i), round) == ProbeLog.NOT_NOW ? 0 : 1;
            }
        }
        assertThat(lines).isEqualTo(ProbeLog.MOST_ADDRESSES);
        // Their hour is over: others may have the places.
        assertThat(log.note(address(20_000), HOUR + 3)).isZero();
        assertThat(log.note(address(20_000), HOUR + 3)).isEqualTo(ProbeLog.NOT_NOW);
    }
}
