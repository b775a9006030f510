package dev.msgrelay.loadgen.lab.readers;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** For the measurement: counts, and looks at nothing but length and number, which is enough to see what is lost. */
final class CountingSink implements Sink {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int MASK = NumberedFrames.FRAMES - 1;

    private final int bodyLength;
    private long messages;
    private long wrong;

    CountingSink(int bodyLength) {
        this.bodyLength = bodyLength;
    }

    @Override
    public void message(byte[] type, byte[] body, int length) {
        count(length, (long) LONG.get(body, 0));
    }

    @Override
    public void message(int type, byte[] body, int length) {
        count(length, (long) LONG.get(body, 0));
    }

    @Override
    public void message(int type, ByteBuffer body) {
        count(body.remaining(), body.getLong(body.position()));
    }

    private void count(int length, long number) {
        if (length != bodyLength || number != (messages & MASK)) {
            wrong++;
        }
        messages++;
    }

    long messages() {
        return messages;
    }

    /** Messages that are not the next one. */
    long wrong() {
        return wrong;
    }
}
