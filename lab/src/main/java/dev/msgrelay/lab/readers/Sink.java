package dev.msgrelay.lab.readers;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The check of a client's messages. A body is the client's again when the method returns. */
final class Sink {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int MASK = StreamSender.FRAMES - 1;

    private final int bodyLength;

    /** The bodies that every byte is compared with; null where the sink only counts. */
    private final byte[][] bodies;

    private long messages;
    private long wrong;

    /** Compares every byte, as in the warm-up, or looks at type, length and number: enough to see what is lost. */
    Sink(int bodyLength, boolean check) {
        this.bodyLength = bodyLength;
        this.bodies = check ? new byte[StreamSender.FRAMES][] : null;
        for (int i = 0; check && i < bodies.length; i++) {
            bodies[i] = StreamSender.body(i, bodyLength);
        }
    }

    /** A message as an array, which may be longer. Nothing is allocated: there are clients that do not either. */
    void message(int type, byte[] body, int length) {
        int number = (int) (messages & MASK);
        boolean right = bodies == null
                ? length == bodyLength && (long) LONG.get(body, 0) == number
                : Arrays.equals(body, 0, length, bodies[number], 0, bodyLength);
        count(type, right);
    }

    /** A message in the reader's own memory. */
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

    /** Messages that are not the next one, or not whole. */
    long wrong() {
        return wrong;
    }
}
