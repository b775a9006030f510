package dev.msgrelay.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Frames and the bytes they make, written down independently of the code under test. */
final class TestStream {
    /** One frame; equal where type and content are. */
    record Frame(int type, List<Byte> body) {
        @Override
        public String toString() {
            return "Frame[type=" + type + ", " + body.size() + " bytes]";
        }
    }

    private final List<Frame> frames = new ArrayList<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    TestStream frame(int type, byte[] body) {
        frames.add(new Frame(type, list(body)));
        return header(type, body.length).raw(body);
    }

    /** A frame whose content follows from its type and length. */
    TestStream frame(int type, int length) {
        byte[] body = new byte[length];
        for (int i = 0; i < length; i++) {
            body[i] = (byte) (type * 31 + i);
        }
        return frame(type, body);
    }

    TestStream header(int type, int length) {
        return int32(type).int32(length);
    }

    TestStream raw(byte... raw) {
        bytes.writeBytes(raw);
        return this;
    }

    List<Frame> frames() {
        return frames;
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    /** Reads until the stream ends or breaks; what was handed over is in {@code got} either way. */
    static void readAll(FrameReader reader, ReadableByteChannel channel, List<Frame> got) throws IOException {
        int idle = 0;
        int n;
        while ((n = reader.read(channel, (type, body) -> got.add(new Frame(type, list(copy(body)))))) >= 0) {
            idle = n == 0 ? idle + 1 : 0;
            if (idle > 1000) {
                throw new AssertionError("no progress in 1000 reads");
            }
        }
    }

    static byte[] copy(ByteBuffer body) {
        byte[] copy = new byte[body.remaining()];
        body.get(copy);
        return copy;
    }

    static List<Byte> list(byte[] bytes) {
        Byte[] boxed = new Byte[bytes.length];
        Arrays.setAll(boxed, i -> bytes[i]);
        return Arrays.asList(boxed);
    }

    private TestStream int32(int value) {
        return raw((byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value);
    }
}
