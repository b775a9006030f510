package dev.msgrelay.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** A copy moves exactly its bytes, whatever the lengths and offsets, and nothing beside them. */
class BytesCopyTest {
    private static final int ROOM = 400;
    private static final byte UNTOUCHED = 0x55;

    @Test
    void everySmallLengthAtEverySmallOffset() {
        ByteBuffer source = filled(ByteOrder.nativeOrder());
        for (int length = 0; length <= 180; length++) {
            for (int from = 0; from < 9; from++) {
                for (int to = 0; to < 9; to++) {
                    check(source, from, to, length);
                }
            }
        }
    }

    @Test
    void lengthsAroundTheChangeOfMethod() {
        ByteBuffer source = filled(ByteOrder.nativeOrder());
        for (int length = 150; length < 330; length++) {
            check(source, 3, 5, length);
        }
    }

    @Test
    void aSourceInTheOtherByteOrderKeepsItsBytes() {
        ByteOrder other =
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        for (int length = 0; length < 400 - 3; length++) {
            checkCopy(Bytes::copyFromAny, filled(other), 1, 2, length);
            checkCopy(Bytes::copyFromAny, filled(ByteOrder.nativeOrder()), 3, 1, length);
        }
    }

    @Test
    void positionsStayWhereTheyWere() {
        ByteBuffer source = filled(ByteOrder.nativeOrder());
        ByteBuffer target = empty();
        source.position(7);
        target.position(11);
        Bytes.copy(source, 0, target, 0, 100);
        Bytes.copy(source, 0, target, 0, 300);
        assertThat(source.position()).isEqualTo(7);
        assertThat(target.position()).isEqualTo(11);
    }

    @Test
    void bigEndianIsTheWiresOrder() {
        ByteBuffer buffer = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
        buffer.putInt(0, Bytes.bigEndian(0x01020304));
        assertThat(buffer.array()).containsExactly(1, 2, 3, 4);
    }

    private interface Copy {
        void copy(ByteBuffer source, int from, ByteBuffer target, int to, int length);
    }

    private static void check(ByteBuffer source, int from, int to, int length) {
        checkCopy(Bytes::copy, source, from, to, length);
    }

    private static void checkCopy(Copy copy, ByteBuffer source, int from, int to, int length) {
        ByteBuffer target = empty();
        copy.copy(source, from, target, to, length);
        for (int i = 0; i < ROOM; i++) {
            byte expected = i >= to && i < to + length ? source.get(from + i - to) : UNTOUCHED;
            if (target.get(i) != expected) {
                throw new AssertionError("byte " + i + " after a copy of " + length + " from " + from + " to " + to);
            }
        }
    }

    private static ByteBuffer filled(ByteOrder order) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(ROOM).order(order);
        for (int i = 0; i < ROOM; i++) {
            buffer.put(i, (byte) (i * 31 + 1));
        }
        return buffer;
    }

    private static ByteBuffer empty() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(ROOM).order(ByteOrder.nativeOrder());
        for (int i = 0; i < ROOM; i++) {
            buffer.put(i, UNTOUCHED);
        }
        return buffer;
    }
}
