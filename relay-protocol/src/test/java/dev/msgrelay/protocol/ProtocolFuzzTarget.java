package dev.msgrelay.protocol;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * For a coverage-guided fuzzer: whatever bytes come, a decoder answers with a value that can be written again or with a
 * FrameException, and the reader of a stream likewise, however the stream is cut into reads.
 *
 * <pre>
 *   first byte 0..12: the rest is the body of the control frame 0x80000000 + that byte
 *   otherwise:        the rest is a stream, read in pieces of (first byte) bytes
 * </pre>
 */
public final class ProtocolFuzzTarget {
    private static final int CONTROL_TYPES = 13;
    private static final int MAX_BODY = 4096;
    private static final int BUFFER = 64;

    private ProtocolFuzzTarget() {}

    /** One input. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        int first = data[0] & 0xFF;
        if (first < CONTROL_TYPES) {
            controlFrame(
                    ControlFrames.FIRST + first,
                    ByteBuffer.wrap(data, 1, data.length - 1).slice());
        } else {
            stream(data, first);
        }
    }

    private static void controlFrame(int type, ByteBuffer body) {
        if (type < ControlFrames.HELLO || type > ControlFrames.RETRY_AFTER) {
            return;
        }
        try {
            Object value = Codecs.decode(type, body);
            // Texts for people are read leniently, and may be cut when written.
            boolean cut = value instanceof Codecs.Error || value.toString().indexOf('\uFFFD') >= 0;
            byte[] frame = cut ? null : Codecs.encode(value);
            if (frame != null) {
                Object again = Codecs.decode(type, ByteBuffer.wrap(frame).position(FrameLayout.HEADER_LENGTH));
                if (!again.equals(value)) {
                    throw new AssertionError(value + " was written, " + again + " was read");
                }
            }
        } catch (FrameException e) {
            if (e.reason() != CloseReason.MALFORMED_CONTROL) {
                throw new AssertionError("refused as " + e.reason(), e);
            }
        }
    }

    private static void stream(byte[] data, int piece) {
        FrameReader reader = new FrameReader(BUFFER, MAX_BODY);
        ByteBuffer rest = ByteBuffer.wrap(data, 1, data.length - 1);
        long[] bytes = new long[1];
        FrameConsumer consumer = (type, body) -> bytes[0] += FrameLayout.frameLength(body.remaining());
        try {
            ReadableByteChannel channel = pieces(rest, piece);
            while (reader.read(channel, consumer) >= 0) {
                if (reader.capacity() > FrameLayout.frameLength(ControlFrames.MAX_CONTROL_BODY)) {
                    throw new AssertionError("a buffer of " + reader.capacity() + " bytes for bodies of " + MAX_BODY);
                }
            }
            if (bytes[0] != data.length - 1) {
                throw new AssertionError(bytes[0] + " of " + (data.length - 1) + " bytes handed on");
            }
        } catch (IOException e) {
            // FrameException, or a stream that ends within a frame.
        }
    }

    private static ReadableByteChannel pieces(ByteBuffer data, int piece) {
        return new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer target) {
                if (!data.hasRemaining()) {
                    return -1;
                }
                int length = Math.min(piece, Math.min(data.remaining(), target.remaining()));
                ByteBuffer part = data.slice(data.position(), length);
                data.position(data.position() + length);
                target.put(part);
                return length;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }
}
