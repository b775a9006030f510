package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SocketTableTest {
    private static final String HEADER =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    @Test
    void bothEndsOfConnectionsWithTheirQueues() {
        assertThat(read(0x1E61, """
                   0: 0100007F:1E61 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 1673 1 000000003d809d32 100 0 0 10 0
                   1: 0100007F:A0CC 0100007F:1E61 01 003E5448:00000000 01:00000014 00000000     0        0 9001 2 0000000000000000 20 4 30 10 -1
                   2: 0100007F:1E61 0100007F:A0CC 01 00000000:0005F730 00:00000000 00000000     0        0 9002 1 0000000000000000 20 4 30 10 -1
                   3: 0100007F:A0CE 0100007F:1E61 06 00000000:00000000 03:0000173D 00000000     0        0 0 3 0000000000000000
                   4: 0100007F:A0D0 0100007F:1E61 08 00000000:00000010 00:00000000 00000000     0        0 9003 1 0000000000000000 20 4 0 10 -1
                """))
                .as("neither who listens nor who waits for late segments")
                .containsExactly(
                        new SocketTable.Entry(0xA0CC, 0x1E61, 0x3E5448, 0, "9001"),
                        new SocketTable.Entry(0x1E61, 0xA0CC, 0, 0x5F730, "9002"),
                        new SocketTable.Entry(0xA0D0, 0x1E61, 0, 0x10, "9003"));
    }

    @Test
    void ipVersion6() {
        assertThat(read(
                        0x1F91,
                        "   7: 0000000000000000FFFF00000100007F:1F91 0000000000000000FFFF00000100007F:C1B2 01 0000FE88:00000007 01:00000014"
                                + " 00000000  1000        0 77 2 0000000000000000 20 4 30 10 -1\n"))
                .containsExactly(new SocketTable.Entry(0x1F91, 0xC1B2, 0xFE88, 7, "77"));
    }

    @Test
    void connectionsOfOtherPortsAreNotLookedAt() {
        String line = "   1: 0100007F:A0CC 0100007F:1E61 01 00000001:00000002 01:00000014 00000000 0 0 9001 2\n";
        assertThat(read(0xA0CC, line)).containsExactly(new SocketTable.Entry(0xA0CC, 0x1E61, 1, 2, "9001"));
        assertThat(read(0x0001, line)).isEmpty();
        assertThat(read(0x1E61, line.strip())).as("without a line end").hasSize(1);
    }

    @Test
    void damagedLinesArePassedOver() {
        assertThat(read(0x1E61, """
                   1: 0100007F:A0CC 0100007F:1E61 01 003E5448 01:00000014 00000000 0 0 9001 2
                   2: 0100007F:A0CC 0100007F:1E61 01 x:y 00:0 0 0 0 9001 2
                   3: 0100007F 0100007F 01 00000000:00000000 00:0 0 0 0 9001 2
                   4: 0100007F:A0CC 0100007F:1E61 01 00000001:00000002 01:00000014
                   5: 0100007F:A0

                """)).isEmpty();
        assertThat(read(0x1E61, "")).isEmpty();
        List<SocketTable.Entry> nothing = new ArrayList<>();
        SocketTable.read("", 0x1E61, nothing::add);
        assertThat(nothing).isEmpty();
    }

    private static List<SocketTable.Entry> read(int port, String lines) {
        List<SocketTable.Entry> entries = new ArrayList<>();
        SocketTable.read(HEADER + lines, port, entries::add);
        return entries;
    }
}
