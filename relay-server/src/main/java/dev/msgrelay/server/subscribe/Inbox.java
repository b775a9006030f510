package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.net.Stranger;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;

/**
 * Assembles the control frames of a subscriber, which may send nothing else. Keeps only one frame. Checks a frame's
 * length before its body is kept, and takes memory only for bytes that have come. Owned by the connection's thread.
 */
public final class Inbox {
    public interface Handler {
        /** Handles a frame (body between position and limit). If this returns false, later bytes are dropped. */
        boolean onControl(int type, ByteBuffer body) throws FrameException;

        /** Returns the exception that ends the connection of a client that speaks another protocol. */
        default FrameException onStranger(Stranger who, FrameException fault) {
            return fault;
        }
    }

    private static final int FIRST_KEPT = 256;
    // Used until the first byte has come. It is empty, because most subscribers never send a byte.
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    /** The first three bytes of every control frame's type. */
    private static final int TYPE_PREFIX = ControlFrames.FIRST >>> Byte.SIZE;

    private final MemoryBudget.Pool pool;
    private ByteBuffer kept = NOTHING;
    private long bytes;
    private long frames;
    private int reserved;
    private int frameLength;
    // Whether the first bytes are no control frame, but more bytes are needed to see which protocol they belong to.
    private boolean strange;

    public Inbox(MemoryBudget.Pool pool) {
        this.pool = pool;
    }

    public long bytes() {
        return bytes;
    }

    public long frames() {
        return frames;
    }

    public boolean unfinished() {
        return kept.position() > 0;
    }

    /**
     * Receives bytes, and passes each completed frame to the handler, until the handler returns false.
     *
     * @throws FrameException a frame is no control frame, is too long, or was refused by the handler
     */
    public void receive(ByteBuf came, Handler handler) throws FrameException {
        bytes += came.readableBytes();
        if (kept == NOTHING) {
            kept = ByteBuffer.allocate(FIRST_KEPT);
        }
        while (came.isReadable()) {
            if (strange || kept.position() < FrameLayout.HEADER_LENGTH) {
                move(came, strange ? Stranger.LONGEST : FrameLayout.HEADER_LENGTH);
                int wrong = wrongByte();
                if (wrong >= 0) {
                    refuse(fault(wrong), came, handler);
                    return;
                }
                if (kept.position() < FrameLayout.HEADER_LENGTH) {
                    return;
                }
                int length = FrameLayout.bodyLength(kept, 0);
                FrameLayout.checkBodyLength(FrameLayout.type(kept, 0), length, ControlFrames.MAX_CONTROL_BODY);
                frameLength = FrameLayout.frameLength(length);
            }
            makeRoom(Math.min(frameLength, kept.position() + came.readableBytes()));
            move(came, frameLength);
            if (kept.position() < frameLength) {
                return;
            }
            ByteBuffer frame = kept.flip();
            int type = FrameLayout.type(frame, 0);
            frames++;
            boolean more = handler.onControl(type, frame.position(FrameLayout.HEADER_LENGTH));
            empty();
            if (!more) {
                return;
            }
        }
    }

    private void move(ByteBuf bytes, int upTo) {
        int part = Math.min(bytes.readableBytes(), upTo - kept.position());
        bytes.readBytes(kept.limit(kept.position() + part));
        kept.limit(kept.capacity());
    }

    private void makeRoom(int length) throws FrameException {
        if (length <= kept.capacity()) {
            return;
        }
        int capacity = Math.min(frameLength, Integer.highestOneBit(length - 1) << 1);
        if (!pool.tryTake(capacity - reserved)) {
            throw new FrameException(
                    CloseReason.MEMORY_LIMIT,
                    "a control frame of " + frameLength + " bytes is one too many: clients' control frames take "
                            + pool.used() + " of " + pool.limit() + " bytes");
        }
        reserved = capacity;
        kept = ByteBuffer.allocate(capacity).put(kept.flip());
    }

    private void empty() {
        if (reserved > 0) {
            release();
            kept = ByteBuffer.allocate(FIRST_KEPT);
        }
        kept.clear();
    }

    public void release() {
        pool.giveBack(reserved);
        reserved = 0;
    }

    /** Refuses bytes that are no control frame, as soon as it is clear whether they begin another protocol. */
    private void refuse(FrameException fault, ByteBuf came, Handler handler) throws FrameException {
        if (frames > 0) {
            throw fault;
        }
        move(came, Stranger.LONGEST);
        Optional<Stranger> who = Stranger.of(kept, 0, kept.position(), false);
        if (who.isPresent()) {
            throw handler.onStranger(who.get(), fault);
        }
        strange = Stranger.mayFollow(kept, 0, kept.position(), false);
        if (!strange) {
            throw fault;
        }
    }

    /** Returns the index of the first byte that cannot begin a control frame; -1 if there is none so far. */
    private int wrongByte() {
        for (int i = 0; i < Math.min(kept.position(), Integer.BYTES - 1); i++) {
            if (kept.get(i) != (byte) (TYPE_PREFIX >>> Byte.SIZE * (2 - i))) {
                return i;
            }
        }
        return -1;
    }

    private FrameException fault(int wrong) {
        String form = "byte %d from a subscriber is 0x%02X: it may send control frames only, which start with 0x800000";
        return new FrameException(
                CloseReason.UNEXPECTED_INPUT, String.format(Locale.ROOT, form, wrong, kept.get(wrong)));
    }
}
