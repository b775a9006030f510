package dev.msgrelay.lab.readers;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Checks a client's messages. The client may reuse a body after the call. */
final class Sink {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int MASK = StreamSender.FRAMES - 1;

    private final int bodyLength;

    /** The expected bodies; null if only type, length and number are compared. */
    private final byte[][] bodies;

    private long messages;
    private long wrong;

    /** Compares every byte, as in the warm-up; or only type, length and number, which shows lost messages. */
    Sink(int bodyLength, boolean check) {
        this.bodyLength = bodyLength;
        this.bodies = check ? new byte[StreamSender.FRAMES][] : null;
        for (int i = 0; check && i < bodies.length; i++) {
            bodies[i] = StreamSender.body(i, bodyLength);
        }
    }

    /**
     * Checks a message in an array, which may be longer than the message. It allocates nothing, since some clients do
     * not either.
     */
    void message(int type, byte[] body, int length) {
        int number = (int) (messages & MASK);
        boolean right = bodies == null
                ? length == bodyLength && (long) LONG.get(body, 0) == number
                : Arrays.equals(body, 0, length, bodies[number], 0, bodyLength);
        count(type, right);
    }

    /** Checks a message in the client's buffer. */
    void message(int type, ByteBuffer body) {
        int number = (int) (messages & MASK);
        boolean right = bodies == null
                ? body.remaining() == bodyLength && body.getLong(body.position()) == number
                : body.equals(ByteBuffer.wrap(bodies[number]));
        count(type, right);
    }

    private void count(int type, boolean right) {
        if (type != StreamSender.TYPE || !right) {
            wrong++;
        }
        messages++;
    }

    long messages() {
        return messages;
    }

    long wrong() {
        return wrong;
    }
}
