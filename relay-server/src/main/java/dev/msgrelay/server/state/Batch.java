package dev.msgrelay.server.state;

import dev.msgrelay.server.stream.Mark;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** A part of a common walk, which its readers send from one buffer. Only the count of its holders changes. */
final class Batch {
    final CommonWalk of;
    final ByteBuf memory;
    /** The frames, from 0 to the limit. Only absolute reads, since readers of several threads have it. */
    final ByteBuffer frames;

    /** The first number that the batch tells of, and the first one behind it. */
    final long from;

    final long next;
    final boolean arrived;
    final long messages;
    final long bytes;
    final long superseded;
    final Mark head = new Mark();
    // Readers, and the walk while it keeps the batch. Guarded by the desk's lock.
    int holders = 1;

    Batch(CommonWalk walk, ByteBuf memory, ByteBuffer frames) {
        this.of = walk;
        this.memory = memory;
        this.frames = frames;
        this.from = walk.walk.from;
        this.next = walk.walk.next;
        this.arrived = walk.walk.arrived;
        this.messages = walk.walk.messages();
        this.bytes = walk.walk.bytes();
        this.superseded = walk.walk.superseded();
        head.set(walk.walk.head.position(), walk.walk.head.sequence());
    }

    /** Returns whether a reader that was told of all numbers before this one can go on with the batch. */
    boolean tells(long number) {
        return from <= number && number < next;
    }
}
