package dev.msgrelay.server.session;

import dev.msgrelay.server.log.Chunk;
import dev.msgrelay.server.log.PacketLog;
import java.util.ArrayDeque;

/**
 * The chunks that a subscriber holds: those its write in flight points into, and on to the end of the frame that it cuts.
 * Neighbours in the stream. Owned by the session's thread.
 */
final class Pins {
    private final PacketLog log;
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>(4);
    private long first;

    Pins(PacketLog log) {
        this.log = log;
    }

    /**
     * Holds the chunks from the one at {@code from} to the one that the byte before {@code to} lies in, and lets go of
     * earlier ones.
     *
     * @return false where the log no longer has them; what was held before, from {@code from} on, still is
     */
    boolean hold(long from, long to) {
        long a = log.chunkNumber(from);
        long b = log.chunkNumber(to - 1);
        while (!chunks.isEmpty() && first < a) {
            chunks.pollFirst().release();
            first++;
        }
        if (chunks.isEmpty()) {
            first = a;
        }
        for (long next = first + chunks.size(); next <= b; next++) {
            Chunk chunk = log.acquire(next * log.chunkBytes());
            if (chunk == null) {
                return false;
            }
            chunks.addLast(chunk);
        }
        return true;
    }

    /** The held chunk that a position lies in. */
    Chunk at(long position) {
        long steps = log.chunkNumber(position) - first;
        if (steps == 0) {
            return chunks.peekFirst();
        }
        for (Chunk chunk : chunks) {
            if (steps-- == 0) {
                return chunk;
            }
        }
        throw new IllegalStateException("position " + position + " is not held");
    }

    void releaseAll() {
        while (!chunks.isEmpty()) {
            chunks.pollFirst().release();
        }
    }
}
