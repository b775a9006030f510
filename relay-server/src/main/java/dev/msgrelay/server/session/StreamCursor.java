package dev.msgrelay.server.session;

import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;

/**
 * Where a subscriber stands in the stream, and what of the log it holds there.
 *
 * <pre>
 *   | frame | frame | fra~me | frame |
 *                        ^   ^
 *                 position   boundary: the end of the frame that the last write cut; up to here the bytes are held
 * </pre>
 *
 * Owned by the session's thread; {@link #position} may be read by any.
 */
final class StreamCursor {
    /** Goes before all messages, so to the oldest one that is held. */
    static final long EARLIEST = 0;

    /** The log may drop what has just been looked up; then the next look finds something newer. */
    private static final int TRIES = 8;

    private final PacketLog log;
    private final Pins pins;
    private final LogFrames frames;
    private final Delivered delivered = new Delivered();
    private final Mark boundary = new Mark();
    private final Mark next = new Mark();
    private final Mark found = new Mark();
    private volatile long position;

    StreamCursor(PacketLog log) {
        this.log = log;
        this.pins = new Pins(log);
        this.frames = new LogFrames(log, pins);
    }

    Pins pins() {
        return pins;
    }

    LogFrames frames() {
        return frames;
    }

    Delivered delivered() {
        return delivered;
    }

    /** Everything before has been handed to the socket. Any thread. */
    long position() {
        return position;
    }

    /** The frame boundary at or behind the position. */
    Mark boundary() {
        return boundary;
    }

    /** Whether it stands between two frames. */
    boolean atBoundary() {
        return position == boundary.position();
    }

    /** Bytes from here to the end of the frame that the last write cut. They are held. */
    int restOfFrame() {
        return (int) (boundary.position() - position);
    }

    /** Stands at a frame boundary from now on, wherever it stood before. */
    void jump(Mark to) {
        boolean everything = delivered.everything();
        delivered.upTo(boundary);
        boundary.copy(to);
        position = to.position();
        if (everything) {
            delivered.everythingFrom(to);
        }
    }

    /** Lets go of what it holds, and stands elsewhere. */
    void leaveFor(Mark to) {
        pins.releaseAll();
        jump(to);
    }

    /**
     * Takes hold of the next {@code amount} bytes, and on to the end of the frame that they cut.
     *
     * @return false where the log no longer has them
     */
    boolean hold(int amount, Mark head) {
        long from = position;
        if (from < log.tail()
                || !log.boundaryAtOrBehind(from + amount, head, next)
                || !pins.hold(from, next.position())) {
            return false;
        }
        boundary.copy(next);
        return true;
    }

    /** Single frames up to here were looked at, and some of them chosen. */
    void chosenUpTo(long to, long sequence) {
        boundary.set(to, sequence);
    }

    /** These bytes have been taken by the socket. Lets go of what is no longer needed. */
    void moved(long bytes) {
        long to = position + bytes;
        position = to;
        if (to == boundary.position()) {
            pins.releaseAll();
        }
    }

    /**
     * Goes to a message, or to the oldest one that the log still holds where that one is gone, and takes hold of it.
     *
     * @param sequence its number; at most the head's, or {@link #EARLIEST}
     */
    void goTo(long sequence, Mark head) {
        for (int i = 0; i < TRIES; i++) {
            if (find(sequence, head)) {
                jump(found);
                return;
            }
        }
        // The log runs away from its tail faster than one can look: what is newest is all that can be had.
        leaveFor(head);
    }

    /** Whether the log still holds what comes next. */
    boolean held() {
        return position >= log.tail();
    }

    private boolean find(long sequence, Mark head) {
        pins.releaseAll();
        long tail = log.tail();
        boolean held = log.packetOf(sequence, found) && found.position() >= tail;
        if (!held && !log.boundaryAtOrBehind(tail, head, found)) {
            return false;
        }
        if (found.position() >= head.position()) {
            found.copy(head);
            return true;
        }
        if (!log.boundaryAtOrBehind(found.position() + 1, head, next)
                || !pins.hold(found.position(), next.position())) {
            return false;
        }
        // Within the packet from frame to frame: the index knows packets only.
        while (found.sequence() < sequence && found.position() < next.position()) {
            found.set(found.position() + frames.length(found.position()), found.sequence() + 1);
        }
        return true;
    }
}
