package dev.msgrelay.server.state;

import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.stream.Mark;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * One reader's walk over the state: of each chosen type the newest message behind a place of the stream, in the order
 * of the numbers, until the head. The reader asks for one batch after the other, see {@link StateDesk}.
 *
 * <p>Owned by the reader's thread; between a question and its answer, by the core's.
 */
public final class Walk {
    private final Runnable answer;
    private TypeRanges types = TypeRanges.ALL;
    private ByteBuf buffer;
    private ByteBuffer view;
    private long bytes;
    private long messages;
    private long superseded;

    /** The first number that the client has not been told of. */
    long next;

    /** Bytes that a buffer needs for the next message, if that is longer than the buffer; otherwise 0. */
    int needed;

    boolean arrived;
    final Mark head = new Mark();

    // The core's: the marker of the walk's place, and whether the place is still looked for.
    int marker;
    boolean seeks;

    /**
     * @param next the first number that the client wants, from 1
     * @param answer called on the core's thread when a batch is there; hands it to the reader's thread
     */
    public Walk(long next, Runnable answer) {
        this.next = next;
        this.answer = answer;
    }

    /** Sets the types; every one otherwise. Not between a question and its answer. */
    public void choose(TypeRanges chosen) {
        types = chosen;
    }

    TypeRanges types() {
        return types;
    }

    void lend(ByteBuf memory) {
        buffer = memory;
        view = memory.nioBuffer(0, memory.capacity());
    }

    int lentBytes() {
        return buffer == null ? 0 : buffer.capacity();
    }

    ByteBuf takeBuffer() {
        ByteBuf lent = buffer;
        buffer = null;
        view = null;
        return lent;
    }

    ByteBuffer begin() {
        needed = 0;
        arrived = false;
        messages = 0;
        superseded = 0;
        bytes = 0;
        return view.clear();
    }

    void sent(long number, int frame) {
        next = number + 1;
        messages++;
        bytes += frame;
    }

    /** Tells the client that numbers from the next one on are superseded. */
    void supersede(long to) {
        GapFrame.put(view, next, to, GapReason.SUPERSEDED);
        superseded += to - next + 1;
        next = to + 1;
    }

    void answer() {
        answer.run();
    }

    /** The first number that the client has not been told of, when it has the last batch. */
    public long next() {
        return next;
    }

    /** The last batch: frames for the client, whole ones; empty if there are none. */
    public ByteBuf batch() {
        return buffer.setIndex(0, view.position());
    }

    /** Messages of the last batch. */
    public long messages() {
        return messages;
    }

    /** Numbers that the last batch calls superseded. */
    public long superseded() {
        return superseded;
    }

    /** Bytes of the messages of the last batch, headers included, without control frames. */
    public long bytes() {
        return bytes;
    }

    /** Whether the last batch has reached the head, see {@link #head}. */
    public boolean hasArrived() {
        return arrived;
    }

    /** The end of the stream that the walk has reached. */
    public Mark head() {
        return head;
    }
}
