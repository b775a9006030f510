package dev.msgrelay.server.session;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.log.PacketLog;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Looks at frames where they lie in the log, in chunks that are held. Owned by one thread. */
final class LogFrames {
    private final PacketLog log;
    private final Pins pins;

    LogFrames(PacketLog log, Pins pins) {
        this.log = log;
        this.pins = pins;
    }

    /** The type of the frame that starts at a position. */
    int type(long frame) {
        return getInt(frame + FrameLayout.TYPE_OFFSET);
    }

    /** Bytes of the frame that starts at a position, header included. */
    int length(long frame) {
        return FrameLayout.frameLength(getInt(frame + FrameLayout.LENGTH_OFFSET));
    }

    /** Copies bytes of the log. */
    void copy(long from, int length, ByteBuffer target) {
        long at = from;
        int left = length;
        while (left > 0) {
            int offset = log.offsetInChunk(at);
            int part = Math.min(left, log.chunkBytes() - offset);
            ByteBuffer piece = target.duplicate().limit(target.position() + part);
            pins.at(at).memory().getBytes(offset, piece);
            target.position(target.position() + part);
            at += part;
            left -= part;
        }
    }

    private int getInt(long position) {
        int offset = log.offsetInChunk(position);
        if (offset + Integer.BYTES <= log.chunkBytes()) {
            return pins.at(position).memory().getInt(offset);
        }
        int value = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            ByteBuf memory = pins.at(position + i).memory();
            value = value << Byte.SIZE | memory.getUnsignedByte(log.offsetInChunk(position + i));
        }
        return value;
    }
}
