package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Frames;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames and faults that arrive in pieces: found as soon as their header is whole, and never before. */
class SplitAtEveryOffsetTest {
    private static final int PACKET = 200;
    private static final int MAX_BODY = 500;

    private final RunScan scan = new RunScan(PACKET, MAX_BODY);

    private static Frames frames(int... typesOfFramesOf20) {
        Frames frames = new Frames();
        for (int type : typesOfFramesOf20) {
            frames.frame(type, 20);
        }
        return frames;
    }

    private static Arguments fault(String what, Frames frames, int before, CloseReason reason, String... words) {
        return argumentSet(what, frames, before, reason, List.of(words));
    }

    private static Arguments reserved(int type) {
        Frames frames = frames(1, type, 2);
        return fault(
                "reserved",
                frames,
                1,
                CloseReason.RESERVED_TYPE,
                String.format(Locale.ROOT, "0x%08X", type),
                "0x800000FF");
    }

    private static Arguments allowed(int type) {
        return fault("not reserved", frames(1, type, 2), 3, null);
    }

    static Stream<Arguments> runs() {
        Frames lengths = new Frames()
                .frame(1, 0)
                .frame(2, 1)
                .frame(3, 190)
                .frame(4, MAX_BODY)
                .frame(5, 3);
        Frames negative = frames(1, 2).header(7, -1).frame(3, 20);
        Frames oversized = frames(1).header(7, MAX_BODY + 1).raw(new byte[30]);
        return Stream.of(
                fault("whole frames", lengths, 5, null),
                fault("negative", negative, 2, CloseReason.NEGATIVE_LENGTH, "-1", "type 7"),
                fault("lowest", frames(1).header(7, Integer.MIN_VALUE), 1, CloseReason.NEGATIVE_LENGTH),
                fault("oversized", oversized, 1, CloseReason.OVERSIZED_LENGTH, "501", "limit of 500"),
                fault("highest", frames(1).header(7, Integer.MAX_VALUE), 1, CloseReason.OVERSIZED_LENGTH),
                reserved(0x80000000),
                reserved(0x80000009),
                reserved(0x800000FF),
                allowed(0x80000100),
                allowed(0x7FFFFFFF),
                allowed(-1),
                allowed(Integer.MIN_VALUE + 256),
                fault("among neighbours alike", frames(1, 2, 3, 0x80000001, 4), 3, CloseReason.RESERVED_TYPE));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void isFoundAtEverySplit(Frames frames, int before, CloseReason reason, List<String> words) {
        everySplit(frames, TypeRanges.ALL);
        assertThat(scan.frames()).isEqualTo(before);
        assertThat(scan.problem()).isEqualTo(reason);
        if (reason != null) {
            words.forEach(word -> assertThat(scan.problemText()).contains(word));
        }
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
        assertThat(scan.commonLength()).isEqualTo(13);
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
