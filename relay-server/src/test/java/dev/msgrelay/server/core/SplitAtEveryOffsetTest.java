package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Frames;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Frames and faults that arrive in pieces: found as soon as their header is whole, and never before. */
class SplitAtEveryOffsetTest {
    private static final int PACKET = 200;
    private static final int MAX_BODY = 500;

    private final RunScan scan = new RunScan(PACKET, MAX_BODY);

    @Test
    void wholeFrames() {
        Frames frames =
                new Frames().frame(1, 0).frame(2, 1).frame(3, 190).frame(4, 500).frame(5, 3);
        everySplit(frames);
    }

    @Test
    void aNegativeLength() {
        Frames frames = new Frames().frame(1, 20).frame(2, 20).header(7, -1).frame(3, 20);
        int fault = 2 * 28;
        everySplit(frames);
        assertThat(scan.end()).isEqualTo(fault);
        assertThat(scan.problem()).isEqualTo(CloseReason.NEGATIVE_LENGTH);
        assertThat(scan.problemText()).contains("-1").contains("type 7");
    }

    @Test
    void anOversizedLength() {
        everySplit(new Frames().frame(1, 20).header(7, MAX_BODY + 1).raw(new byte[30]));
        assertThat(scan.problem()).isEqualTo(CloseReason.OVERSIZED_LENGTH);
        assertThat(scan.problemText()).contains("501").contains("limit of 500");
        everySplit(new Frames().frame(1, 20).header(7, Integer.MAX_VALUE));
        assertThat(scan.problem()).isEqualTo(CloseReason.OVERSIZED_LENGTH);
        everySplit(new Frames().frame(1, 20).header(7, Integer.MIN_VALUE));
        assertThat(scan.problem()).isEqualTo(CloseReason.NEGATIVE_LENGTH);
    }

    @Test
    void reservedTypesFromFirstToLast() {
        for (int type : new int[] {0x80000000, 0x80000009, 0x800000FF}) {
            everySplit(new Frames().frame(1, 20).frame(type, 20).frame(2, 20));
            assertThat(scan.problem()).isEqualTo(CloseReason.RESERVED_TYPE);
            assertThat(scan.problemText())
                    .contains(String.format("0x%08X", type))
                    .contains("0x800000FF");
            assertThat(scan.frames()).isEqualTo(1);
        }
        for (int type : new int[] {0x80000100, 0x7FFFFFFF, -1, Integer.MIN_VALUE + 256}) {
            everySplit(new Frames().frame(1, 20).frame(type, 20).frame(2, 20));
            assertThat(scan.problem()).isNull();
            assertThat(scan.frames()).isEqualTo(3);
        }
    }

    @Test
    void aReservedTypeAmongNeighboursOfTheSameLength() {
        everySplit(new Frames()
                .frame(1, 5)
                .frame(2, 5)
                .frame(3, 5)
                .frame(0x80000001, 5)
                .frame(4, 5));
        assertThat(scan.frames()).isEqualTo(3);
        assertThat(scan.problem()).isEqualTo(CloseReason.RESERVED_TYPE);
    }

    /** Where some types may be sent only; also among neighbours that are alike but for the type. */
    @Test
    void aTypeThatMayNotBeSent() {
        TypeRanges types = TypeRanges.of(-5, -1, 7, 9);
        for (int type : new int[] {-6, 0, 6, 10, Integer.MAX_VALUE}) {
            Frames frames = new Frames();
            for (int allowed : new int[] {-5, -1, 7, 7, 9, type, 8}) {
                frames.frame(allowed, 5);
            }
            everySplit(frames, types);
            assertThat(scan.problem()).isEqualTo(CloseReason.NOT_PERMITTED);
            assertThat(scan.frames()).isEqualTo(5);
            assertThat(scan.problemText()).isEqualTo("type " + type + " may not be published: -5--1,7-9 may");
            assertThat(scan.problemLength()).isEqualTo(5);
        }
        everySplit(new Frames().frame(8, 5).frame(8, 5), types);
        assertThat(scan.problem()).isNull();
        assertThat(scan.each()).isEqualTo(13);
    }

    @Test
    void theLongestBodyIsAllowed() {
        everySplit(new Frames().frame(1, MAX_BODY));
        assertThat(scan.problem()).isNull();
        assertThat(scan.frames()).isEqualTo(1);
    }

    @Test
    void aProblemIsForgottenByTheNextScan() {
        scan.scan(new Frames().header(1, -5).nativeBuffer(), 0, 8, 0);
        assertThat(scan.problem()).isEqualTo(CloseReason.NEGATIVE_LENGTH);
        scan.scan(new Frames().frame(1, 5).nativeBuffer(), 0, 13, 0);
        assertThat(scan.problem()).isNull();
        assertThat(scan.packets()).isZero();
    }

    private void everySplit(Frames frames) {
        everySplit(frames, null);
    }

    /** Leaves the scan of everything behind. */
    private void everySplit(Frames frames, TypeRanges types) {
        byte[] bytes = frames.bytes();
        ByteBuffer wire = frames.nativeBuffer();
        for (int open : new int[] {0, 1, PACKET - 28, PACKET - 27, PACKET, 1000}) {
            for (int length = 0; length <= bytes.length; length++) {
                scan.scan(wire, 0, length, open, types);
                new ReferenceScan(bytes, length, open, PACKET, MAX_BODY, types)
                        .assertSame(scan, "split at " + length + " with " + open + " bytes open");
            }
        }
        scan.scan(wire, 0, bytes.length, 0, types);
    }
}
