package dev.msgrelay.server.state;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.stream.Mark;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * One reader's walk over the state: of each chosen type the newest message behind a place of the stream, in the order
 * of the numbers, until the head. The reader asks for one batch after the other, see {@link StateDesk}. A batch is its
 * own, or, if it has an interval, perhaps one of a {@link CommonWalk}.
 *
 * <p>Owned by the reader's thread; between a question and its answer, by the core's.
 */
public final class Walk {
    private final Runnable answer;
    private TypeRanges types = TypeRanges.ALL;
    private ByteBuf buffer;
    private ByteBuffer view;
    // Null if the reader has a buffer of its own, or none.
    private Batch shared;
    // Where the frames for this reader begin, and what comes before them in place of the first one.
    private int start;
    private ByteBuf lead = Unpooled.EMPTY_BUFFER;
    private long bytes;
    private long messages;
    private long superseded;
    private long intervalNanos;

    /** The first number that the client has not been told of. */
    long next;

    /** Bytes that a buffer needs for the next message, if that is longer than the buffer; otherwise 0. */
    int needed;

    boolean arrived;
    // The head when the newest of the batches so far was filled, or a later one that is to be reached.
    final Mark head = new Mark();

    // The core's: the marker of the walk's place, and whether the place is still looked for.
    int marker;
    boolean seeks;
    // Also the core's: the value of next before the last batch, and whether nobody waits for the next batch any more.
    long from;
    boolean over;

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

    /**
     * Sets the interval, in ns, at which the reader asks; 0, as otherwise, if it has none. Before the first question.
     */
    public void every(long nanos) {
        intervalNanos = nanos;
    }

    long intervalNanos() {
        return intervalNanos;
    }

    /** Returns whether the reader may share batches with others. */
    boolean isSociable() {
        return intervalNanos > 0;
    }

    void lend(ByteBuf memory) {
        buffer = memory;
        view = memory.nioBuffer(0, memory.capacity());
    }

    int lentBytes() {
        return shared != null ? shared.memory.capacity() : buffer == null ? 0 : buffer.capacity();
    }

    /** Returns the batch that the reader has of a common walk, which it then has no more; or null. */
    Batch takeShared() {
        Batch had = shared;
        shared = null;
        return had;
    }

    /** Makes a batch for others of the walk's last one. The walk has no buffer then. */
    Batch asBatch(Consumer<Batch> owner) {
        return new Batch(owner, this);
    }

    ByteBuf takeBuffer() {
        ByteBuf lent = buffer;
        buffer = null;
        view = null;
        return lent;
    }

    ByteBuffer begin() {
        reset();
        return view.clear();
    }

    private void reset() {
        from = next;
        needed = 0;
        arrived = false;
        messages = 0;
        superseded = 0;
        bytes = 0;
        start = 0;
        lead = Unpooled.EMPTY_BUFFER;
    }

    /** Takes a batch of a common walk, from this reader's place on. */
    void take(Batch batch) {
        reset();
        shared = batch;
        messages = batch.messages;
        bytes = batch.bytes;
        superseded = batch.superseded;
        if (batch.from < next) {
            leaveOutBefore(next, batch);
        }
        next = batch.next;
        reach(batch.head);
        arrived = batch.arrived && next == head.sequence();
    }

    /** From now on it has arrived at this head, or a later one, only. */
    void reach(Mark least) {
        if (least.sequence() > head.sequence()) {
            head.copy(least);
        }
    }

    /** Goes on at a later place. */
    void jump(long to) {
        next = to;
        needed = 0;
    }

    private void leaveOutBefore(long first, Batch batch) {
        ByteBuffer frames = batch.frames;
        long number = batch.from;
        while (number < first) {
            int body = start + FrameLayout.HEADER_LENGTH;
            int length = frames.getInt(start + FrameLayout.LENGTH_OFFSET);
            if (frames.getInt(start + FrameLayout.TYPE_OFFSET) == ControlFrames.GAP) {
                ByteBuffer gap = frames.slice(body, length);
                long behind = GapFrame.to(gap) + 1;
                GapReason reason = GapReason.ofCode(GapFrame.reason(gap));
                superseded -= reason == GapReason.SUPERSEDED ? Math.min(first, behind) - number : 0;
                if (behind > first) {
                    ByteBuffer rest = ByteBuffer.allocate(GapFrame.FRAME_LENGTH);
                    GapFrame.put(rest, first, behind - 1, reason);
                    lead = Unpooled.wrappedBuffer(rest.flip());
                }
                number = behind;
            } else {
                messages--;
                bytes -= FrameLayout.frameLength(length);
                number++;
            }
            start = body + length;
        }
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

    /** Returns whether the last batch has frames for the client. */
    public boolean hasFrames() {
        return next > from;
    }

    /** The frames of the last batch, whole ones, for one write that releases them. {@link #lead} comes before them. */
    public ByteBuf frames() {
        return shared != null
                ? shared.memory.retainedSlice(start, shared.frames.limit() - start)
                : buffer.retainedSlice(0, view.position());
    }

    /** A frame of this reader alone; empty if there is none. */
    public ByteBuf lead() {
        return lead;
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

    /** A part of a common walk, which its readers send from one buffer. Only the count of its holders changes. */
    static final class Batch {
        /** Drops the batch where it is kept no more. */
        final Consumer<Batch> owner;

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

        private Batch(Consumer<Batch> owner, Walk walk) {
            this.owner = owner;
            this.frames = walk.view.flip();
            this.memory = walk.takeBuffer();
            this.from = walk.from;
            this.next = walk.next;
            this.arrived = walk.arrived;
            this.messages = walk.messages;
            this.bytes = walk.bytes;
            this.superseded = walk.superseded;
            head.set(walk.head.position(), walk.head.sequence());
        }

        /**
         * Returns whether a reader that was told of all numbers before this one can go on with the batch. One from the
         * first number on is for those alone that have nothing: of what was forgotten it tells less.
         */
        boolean tells(long number) {
            return from <= number && number < next && (from > 1 || number == 1);
        }
    }
}
