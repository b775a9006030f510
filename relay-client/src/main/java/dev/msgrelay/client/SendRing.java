package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;

/**
 * The publisher's send buffer: whole frames as wire bytes in one ring of direct memory, dense, also across its end.
 *
 * <pre>
 *   | sent, free | accepted, not yet sent          | free     |
 *                ^ head                            ^ tail = head + used (modulo capacity)
 * </pre>
 *
 * No thread owns it: {@link SendQueue} calls all but {@link #writePrepared} under its lock. What was prepared is written
 * without the lock; nobody changes those bytes until {@link #release}.
 */
final class SendRing {
    private final ByteBuffer slab;
    private final int capacity;
    private final ByteBuffer[] parts;
    private int head;
    private int used;

    SendRing(int capacity) {
        this.capacity = capacity;
        this.slab = ByteBuffer.allocateDirect(capacity);
        this.parts = new ByteBuffer[] {slab.duplicate(), slab.duplicate()};
    }

    int used() {
        return used;
    }

    boolean hasRoomFor(int frameLength) {
        return frameLength <= capacity - used;
    }

    /** Appends a frame; the caller has asked {@link #hasRoomFor}. */
    void append(int type, ByteBuffer body) {
        int length = body.remaining();
        int at = appendHeader(type, length);
        int untilEnd = Math.min(length, capacity - at);
        slab.put(at, body, body.position(), untilEnd);
        if (untilEnd < length) {
            slab.put(0, body, body.position() + untilEnd, length - untilEnd);
        }
        used += FrameLayout.frameLength(length);
    }

    /** As {@link #append(int, ByteBuffer)}. */
    void append(int type, byte[] body, int offset, int length) {
        int at = appendHeader(type, length);
        int untilEnd = Math.min(length, capacity - at);
        slab.put(at, body, offset, untilEnd);
        if (untilEnd < length) {
            slab.put(0, body, offset + untilEnd, length - untilEnd);
        }
        used += FrameLayout.frameLength(length);
    }

    /**
     * Notes the next bytes to be written, at most {@code most}, from {@code behind} bytes behind the head on: those before
     * were written already. Returns how many.
     */
    int prepare(int behind, int most) {
        int n = Math.min(used - behind, most);
        int start = wrap(head + behind);
        int first = Math.min(n, capacity - start);
        parts[0].limit(start + first).position(start);
        parts[1].limit(n - first).position(0);
        return n;
    }

    /** Bytes of the frame that starts {@code behind} bytes behind the head; for the thread that releases. */
    int frameLengthAt(int behind) {
        int at = wrap(wrap(head + behind) + FrameLayout.LENGTH_OFFSET);
        if (at + Integer.BYTES <= capacity) {
            return FrameLayout.frameLength(slab.getInt(at));
        }
        int length = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            length = length << Byte.SIZE | slab.get(wrap(at + i)) & 0xFF;
        }
        return FrameLayout.frameLength(length);
    }

    /** Writes what was prepared, or as much of it as the channel takes; returns how many bytes it took. */
    int writePrepared(GatheringByteChannel channel) throws IOException {
        return parts[1].hasRemaining() ? (int) channel.write(parts) : channel.write(parts[0]);
    }

    /** Gives the first {@code n} bytes back to the producers. */
    void release(int n) {
        used -= n;
        head += n;
        if (head >= capacity) {
            head -= capacity;
        }
    }

    /** Returns where the body starts. */
    private int appendHeader(int type, int length) {
        int at = wrap(head + used);
        if (at + FrameLayout.HEADER_LENGTH <= capacity) {
            FrameLayout.putHeader(slab, at, type, length);
        } else {
            putByByte(at, type);
            putByByte(wrap(at + FrameLayout.LENGTH_OFFSET), length);
        }
        return wrap(at + FrameLayout.HEADER_LENGTH);
    }

    private void putByByte(int at, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            slab.put(wrap(at + i), (byte) (value >>> (24 - 8 * i)));
        }
    }

    /** What is wrapped is below twice the capacity, and an int: see {@link PublisherOptions#MAX_BUFFER}. */
    private int wrap(int index) {
        return index >= capacity ? index - capacity : index;
    }
}
