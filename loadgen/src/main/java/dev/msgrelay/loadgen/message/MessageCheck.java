package dev.msgrelay.loadgen.message;

import java.nio.ByteBuffer;

/**
 * Everything that a subscriber checks of the messages that it gets: each byte of each message, whose it is and which
 * number it has. Not thread-safe: the subscriber's thread owns it, others may look
 * after they have joined it.
 */
public final class MessageCheck {
    /** In place of a stamp: nothing is to be expected next. */
    private static final long NONE = -1;

    private final SizeTable sizes;
    private final RunPattern run;
    private final ByteBuffer pattern = Padding.view();
    private final SequenceCheck sequence;
    private final Order order;

    /**
     * Most messages are the next ones of the publisher of the message before. Of such a run only the end is counted up; what
     * lies between {@link #counted} and it is not yet in {@link #sequence} and {@link #order}.
     */
    private long next = NONE;

    private long counted = NONE;
    private long corrupted;
    private long unreadable;

    /** Hears in which order all messages came. */
    public interface Order {
        Order UNHEARD = new Order() {};

        /** A message that is not the next one of the publisher of the message before. */
        default void startRun(long stamp) {}

        /** So many more in a row of that publisher. */
        default void continueRun(long messages) {}

        /** So many that do not come. */
        default void skip(long messages) {}
    }

    /**
     * @param publishers ids 0..publishers-1 are expected
     * @param sizes of their messages, and their types
     * @param order hears of a run in a row when the run ends, and when {@link #sequence} is asked for
     */
    public MessageCheck(int publishers, SizeTable sizes, Order order) {
        this.order = order;
        this.sequence = new SequenceCheck(publishers);
        this.sizes = sizes;
        this.run = sizes.isUniform() && RunPattern.fits(sizes.max()) ? new RunPattern(sizes) : null;
    }

    /**
     * Takes as many whole frames as are, byte for byte, the next messages of the publisher of the message before. Where
     * all messages have one size and type this is much cheaper than one by one.
     *
     * @param from where a frame begins
     * @return how many messages; 0: the next frame has to be looked at by itself
     */
    public int onRun(ByteBuffer source, int from, int to) {
        if (run == null || next == NONE) {
            return 0;
        }
        int messages = run.matching(source, from, to, next);
        next += messages;
        return messages;
    }

    /** The stamp that the publisher of the message before would send next; negative where nothing is known. */
    public long next() {
        return next;
    }

    /**
     * One message.
     *
     * @param type one that messages of the run carry
     * @param body between position and limit, of which nothing is left to rely on afterwards
     * @return whether its stamp and its time are what was sent
     */
    public boolean onMessage(int type, ByteBuffer body) {
        int at = body.position();
        int length = body.limit() - at;
        if (length < LoadMessage.MIN_BODY) {
            return cannotBeRead();
        }
        long stamp = body.getLong(at + LoadMessage.STAMP_OFFSET);
        long second = body.getLong(at + LoadMessage.TIME_OFFSET);
        long mix = LoadMessage.mix(stamp, second);
        if (!LoadMessage.agrees(mix, second)) {
            return cannotBeRead();
        }
        if (stamp == next && stamp != NONE) {
            next++;
        } else {
            beginRun(stamp);
        }
        if (type != sizes.typeOf(stamp) || length != sizes.sizeOf(stamp) || !Padding.matches(body, pattern)) {
            corrupted++;
        }
        return true;
    }

    private void beginRun(long stamp) {
        countRun();
        sequence.onMessage(stamp);
        order.startRun(stamp);
        next = sequence.isNext(stamp + 1) ? stamp + 1 : NONE;
        counted = next;
    }

    private void countRun() {
        if (next != counted) {
            sequence.onRun(counted, next - counted);
            order.continueRun(next - counted);
            counted = next;
        }
    }

    private boolean cannotBeRead() {
        corrupted++;
        unreadable++;
        return false;
    }

    /** So many messages of the stream do not come: the relay has told. */
    public void onGap(long messages) {
        countRun();
        next = NONE;
        counted = NONE;
        order.skip(messages);
    }

    public SequenceCheck sequence() {
        countRun();
        return sequence;
    }

    /** Messages that are not, byte for byte, what was sent. */
    public long corrupted() {
        return corrupted;
    }

    /** Those of them of which nobody knows which message they were. */
    public long unreadable() {
        return unreadable;
    }
}
