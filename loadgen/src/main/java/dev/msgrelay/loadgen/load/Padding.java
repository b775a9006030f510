package dev.msgrelay.loadgen.load;

import java.nio.ByteBuffer;

/** What fills a measured message's body behind its fields: never zero, so that a hole in the stream shows. */
final class Padding {
    private Padding() {}

    /** Fills the body of {@code bodyLength} bytes at {@code offset}, except for its fields. */
    static void fill(ByteBuffer buffer, int offset, int bodyLength) {
        for (int i = LoadMessage.MIN_BODY; i < bodyLength; i++) {
            buffer.put(offset + i, (byte) ('a' + i % 26));
        }
    }
}
