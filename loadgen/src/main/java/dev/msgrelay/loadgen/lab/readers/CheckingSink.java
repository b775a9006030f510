package dev.msgrelay.loadgen.lab.readers;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** For the warm-up: compares every byte of every message. */
final class CheckingSink implements Sink {
    private final byte[][] bodies = new byte[NumberedFrames.FRAMES][];
    private long messages;
    private long wrong;

    CheckingSink(int bodyLength) {
        Arrays.setAll(bodies, number -> NumberedFrames.body(number, bodyLength));
    }

    @Override
    public void message(byte[] type, byte[] body, int length) {
        check(ByteBuffer.wrap(type).getInt(), ByteBuffer.wrap(body, 0, length));
    }

    @Override
    public void message(int type, byte[] body, int length) {
        check(type, ByteBuffer.wrap(body, 0, length));
    }

    @Override
    public void message(int type, ByteBuffer body) {
        check(type, body);
    }

    private void check(int type, ByteBuffer body) {
        byte[] expected = bodies[(int) (messages % bodies.length)];
        if (type != NumberedFrames.TYPE || !body.equals(ByteBuffer.wrap(expected))) {
            wrong++;
        }
        messages++;
    }

    long messages() {
        return messages;
    }

    /** Messages that are not the next one, or not whole. */
    long wrong() {
        return wrong;
    }
}
