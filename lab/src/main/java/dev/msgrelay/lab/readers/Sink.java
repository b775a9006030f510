package dev.msgrelay.lab.readers;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The check of a client's messages. A body is the client's again when the method returns. */
final class Sink {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int MASK = NumberedFrames.FRAMES - 1;

    private final int bodyLength;

    /** The bodies that every byte is compared with; null where the sink only counts. */
    private final byte[][] bodies;

    private long messages;
    private long wrong;

    private Sink(int bodyLength, byte[][] bodies) {
        this.bodyLength = bodyLength;
        this.bodies = bodies;
    }

    /** For the measurement: counts, and looks at nothing but length and number, which is enough to see what is lost. */
    static Sink counting(int bodyLength) {
        return new Sink(bodyLength, null);
    }

    /** For the warm-up: compares every byte of every message. */
    static Sink checking(int bodyLength) {
        byte[][] bodies = new byte[NumberedFrames.FRAMES][];
        Arrays.setAll(bodies, number -> NumberedFrames.body(number, bodyLength));
        return new Sink(bodyLength, bodies);
    }

    /**
     * A message as an array.
     *
     * @param body may be longer than the message
     */
    void message(int type, byte[] body, int length) {
        if (bodies == null) {
            // Nothing is allocated here: there are clients that do not either.
            count(type, length, (long) LONG.get(body, 0));
        } else {
            compare(type, ByteBuffer.wrap(body, 0, length));
        }
    }

    /**
     * A message in the reader's own memory.
     *
     * @param body between position and limit
     */
    void message(int type, ByteBuffer body) {
        if (bodies == null) {
            count(type, body.remaining(), body.getLong(body.position()));
        } else {
            compare(type, body);
        }
    }

    private void count(int type, int length, long number) {
        if (type != NumberedFrames.TYPE || length != bodyLength || number != (messages & MASK)) {
            wrong++;
        }
        messages++;
    }

    private void compare(int type, ByteBuffer body) {
        if (type != NumberedFrames.TYPE || !body.equals(ByteBuffer.wrap(bodies[(int) (messages & MASK)]))) {
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
