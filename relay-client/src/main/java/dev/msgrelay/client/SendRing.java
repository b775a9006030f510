package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;

/**
 * The publisher's send buffer: whole frames as wire bytes in one ring of direct memory, without gaps, also across its
 * end.
 *
 * <pre>
 *   | sent, free | accepted, not yet sent          | free     |
 *                ^ head                            ^ tail = head + used (modulo capacity)
 * </pre>
 *
 * No thread owns the ring: {@link SendQueue} calls all methods but {@link #writePrepared} under its lock. Prepared
 * bytes are written without the lock; nobody changes them until {@link #release}.
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

    /** Appends a frame; {@link #hasRoomFor} has returned true before. */
    void append(int type, ByteBuffer body) {
        int length = body.remaining();
        put(appendHeader(type, length), body);
        used += FrameLayout.frameLength(length);
    }

    /** Appends whole frames; {@link #hasRoomFor} has returned true before. */
    void append(ByteBuffer frames) {
        put(wrap(head + used), frames);
        used += frames.remaining();
    }

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
     * Prepares the next write: at most {@code most} bytes, from {@code behind} bytes behind the head on, where written
     * bytes end. Returns the number of bytes.
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

    /** Writes the prepared bytes, as far as the channel takes them; returns the number of bytes taken. */
    int writePrepared(GatheringByteChannel channel) throws IOException {
        return parts[1].hasRemaining() ? (int) channel.write(parts) : channel.write(parts[0]);
    }

    /** Releases the first {@code n} bytes. */
    void release(int n) {
        used -= n;
        head += n;
        if (head >= capacity) {
            head -= capacity;
        }
    }

    /** Writes a header, and returns the offset of the body. */
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

    private void put(int at, ByteBuffer bytes) {
        int length = bytes.remaining();
        int untilEnd = Math.min(length, capacity - at);
        slab.put(at, bytes, bytes.position(), untilEnd);
        if (untilEnd < length) {
            slab.put(0, bytes, bytes.position() + untilEnd, length - untilEnd);
        }
    }

    private void putByByte(int at, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            slab.put(wrap(at + i), (byte) (value >>> (24 - 8 * i)));
        }
    }

    /**
     * An index below twice the capacity, folded into the ring. Twice the capacity fits an int: see {@link
     * PublisherOptions#MAX_BUFFER}.
     */
    private int wrap(int index) {
        return index >= capacity ? index - capacity : index;
    }
}
