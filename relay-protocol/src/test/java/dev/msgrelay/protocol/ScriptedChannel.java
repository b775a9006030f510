package dev.msgrelay.protocol;

import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.function.IntSupplier;

/** A stream that arrives in pieces of chosen sizes, then ends. A piece of 0 bytes is a read that finds nothing. */
final class ScriptedChannel implements ReadableByteChannel {
    private final ByteBuffer stream;
    private final IntSupplier pieces;

    ScriptedChannel(byte[] stream, IntSupplier pieces) {
        this.stream = ByteBuffer.wrap(stream);
        this.pieces = pieces;
    }

    /** Two pieces: what lies before {@code split}, and the rest; more where the reader's buffer is small. */
    static ScriptedChannel splitAt(byte[] stream, int split) {
        ScriptedChannel[] self = new ScriptedChannel[1];
        self[0] = new ScriptedChannel(stream, () -> {
            int at = self[0].stream.position();
            return at < split ? split - at : stream.length - at;
        });
        return self[0];
    }

    @Override
    public int read(ByteBuffer target) {
        if (!target.hasRemaining()) {
            throw new AssertionError("read with a full buffer: the reader would never get on");
        }
        if (!stream.hasRemaining()) {
            return -1;
        }
        int n = Math.min(Math.min(pieces.getAsInt(), target.remaining()), stream.remaining());
        ByteBuffer piece = stream.duplicate();
        piece.limit(stream.position() + n);
        target.put(piece);
        stream.position(stream.position() + n);
        return n;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
