package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.msgrelay.server.harness.Frames;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a packet ends: at the last whole frame that fits into one MTU's payload. */
class PacketEdgesTest {
    private static final int PACKET = 1460;

    private final RunScan scan = new RunScan(PACKET, 1 << 20);

    private static Arguments threeOf(int body) {
        return argumentSet(
                "frames of about a packet each", 0, List.of(body, body, body), List.of(8 + body, 2 * (8 + body)));
    }

    static Stream<Arguments> edges() {
        return Stream.of(
                argumentSet("two that fill a packet share it", 0, List.of(1000, PACKET - 1008 - 8), List.of()),
                argumentSet("a byte more starts a new one", 0, List.of(1000, PACKET - 1008 - 7), List.of(1008)),
                threeOf(PACKET - 9),
                threeOf(PACKET - 8),
                threeOf(PACKET - 7),
                argumentSet("it still goes into the open packet", PACKET - 100, List.of(92), List.of()),
                argumentSet("it goes into the open packet no more", PACKET - 100, List.of(93), List.of(0)),
                argumentSet("larger than a packet: its own", 0, List.of(10, 5000, 10), List.of(18, 18 + 5008)),
                argumentSet("behind a large open packet", 5008, List.of(5000), List.of(0)));
    }

    @ParameterizedTest
    @MethodSource("edges")
    void aPacketEndsThere(int open, List<Integer> bodies, List<Integer> ends) {
        Frames frames = new Frames();
        bodies.forEach(body -> frames.frame(frames.size(), body));
        walk(frames, open);
        assertThat(IntStream.range(0, scan.packets()).map(scan::packetEnd)).containsExactlyElementsOf(ends);
    }

    @Test
    void morePacketsThanTheScanExpected() {
        Frames frames = new Frames();
        for (int i = 0; i < 2000; i++) {
            frames.frame(i, 1400);
        }
        walk(frames, 0);
        assertThat(scan.packets()).isEqualTo(1999);
    }

    private void walk(Frames frames, int open) {
        scan.scan(frames.nativeBuffer(), 0, frames.size(), open);
        assertThat(scan.wholeBytes()).isEqualTo(frames.size());
        new ReferenceScan(frames.bytes(), frames.size(), open, PACKET, 1 << 20).assertSame(scan, "scan");
    }
}
