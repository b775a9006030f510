package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a packet ends: at the last whole frame that fits into one MTU's payload. */
class PacketEdgesTest {
    private static final int PACKET = 1460;

    private final RunScan scan = new RunScan(PACKET, 1 << 20);

    @Test
    void twoFramesThatFillAPacketExactlyShareIt() {
        walk(new Frames().frame(1, 1000).frame(2, PACKET - 1008 - 8), 0);
        assertThat(scan.packets()).isZero();
    }

    @Test
    void oneByteMoreStartsANewPacket() {
        walk(new Frames().frame(1, 1000).frame(2, PACKET - 1008 - 8 + 1), 0);
        assertThat(scan.packets()).isEqualTo(1);
        assertThat(scan.packetEnd(0)).isEqualTo(1008);
        assertThat(scan.framesBefore(0)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {PACKET - 9, PACKET - 8, PACKET - 7})
    void framesOfAboutAPacketEach(int body) {
        walk(new Frames().frame(1, body).frame(2, body).frame(3, body), 0);
        assertThat(scan.packets()).isEqualTo(2);
        assertThat(scan.packetEnd(0)).isEqualTo(8 + body);
        assertThat(scan.packetEnd(1)).isEqualTo(2 * (8 + body));
    }

    @Test
    void theFirstFrameStillGoesIntoTheOpenPacketIfItFits() {
        walk(new Frames().frame(1, 92), PACKET - 100);
        assertThat(scan.packets()).isZero();
        walk(new Frames().frame(1, 93), PACKET - 100);
        assertThat(scan.packets()).isEqualTo(1);
        assertThat(scan.packetEnd(0)).isZero();
        assertThat(scan.framesBefore(0)).isZero();
    }

    @Test
    void aFrameLargerThanAPacketIsAPacketOfItsOwn() {
        walk(new Frames().frame(1, 10).frame(2, 5000).frame(3, 10), 0);
        assertThat(scan.packets()).isEqualTo(2);
        assertThat(scan.packetEnd(0)).isEqualTo(18);
        assertThat(scan.packetEnd(1)).isEqualTo(18 + 5008);
    }

    @Test
    void aLargeFrameBehindALargeOpenPacketStartsAnew() {
        walk(new Frames().frame(1, 5000), 5008);
        assertThat(scan.packets()).isEqualTo(1);
        assertThat(scan.packetEnd(0)).isZero();
    }

    @Test
    void morePacketsThanTheScanExpected() {
        Frames frames = new Frames();
        for (int i = 0; i < 2000; i++) {
            frames.frame(i, 1400);
        }
        walk(frames, 0);
        assertThat(scan.frames()).isEqualTo(2000);
        assertThat(scan.packets()).isEqualTo(1999);
        assertThat(scan.packetEnd(1998)).isEqualTo(1999 * 1408);
        assertThat(scan.framesBefore(1998)).isEqualTo(1999);
    }

    private void walk(Frames frames, int open) {
        scan.scan(frames.nativeBuffer(), 0, frames.size(), open);
        assertThat(scan.end()).isEqualTo(frames.size());
        new ReferenceScan(frames.bytes(), frames.size(), open, PACKET, 1 << 20).assertSame(scan, "scan");
    }
}
