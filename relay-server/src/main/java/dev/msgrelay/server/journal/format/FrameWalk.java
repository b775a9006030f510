package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/** Walks through a block's frames, piece by piece, to detect a block that is not whole frames despite a right CRC. */
public final class FrameWalk {
    private final ByteBuffer header = ByteBuffer.allocate(FrameLayout.HEADER_LENGTH);
    private long body;
    private long frames;
    private boolean wrong;

    public void walk(ByteBuffer piece) {
        int at = piece.position();
        while (at < piece.limit() && !wrong) {
            if (body > 0) {
                int passed = (int) Math.min(body, piece.limit() - at);
                body -= passed;
                at += passed;
                continue;
            }
            header.put(piece.get(at++));
            if (!header.hasRemaining()) {
                header.clear();
                body = FrameLayout.bodyLength(header, 0);
                wrong = body < 0
                        || body > FrameLayout.MAX_MAX_BODY
                        || ControlFrames.isControl(FrameLayout.type(header, 0));
                frames++;
            }
        }
    }

    /** Whether the bytes were exactly this number of whole frames, each of them a message. */
    public boolean found(long messages) {
        return !wrong && body == 0 && header.position() == 0 && frames == messages;
    }
}
