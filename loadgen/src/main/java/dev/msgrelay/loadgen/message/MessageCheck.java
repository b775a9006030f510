package dev.msgrelay.loadgen.message;

import java.nio.ByteBuffer;

/** Checks each byte, the publisher and the number of a subscriber's messages. The subscriber's thread owns it. */
public final class MessageCheck {
    /** Value in place of a stamp: no next message is known. */
    private static final long NONE = -1;

    private final SizeTable sizes;
    private final RunPattern run;
    private final ByteBuffer pattern = Padding.view();
    private final SequenceCheck sequence;
    private final Order order;

    /** The end of the last run; its messages from {@link #counted} on are not yet in {@link #sequence} and order. */
    private long next = NONE;

    private long counted = NONE;
    private long corrupted;
    private long unreadable;

    /** Hears of the order of all messages. */
    public interface Order {
        Order UNHEARD = new Order() {};

        /** A message begins a run: it is not the next one of the last message's publisher. */
        default void startRun(long stamp) {}

        /** The run goes on for this many messages. */
        default void continueRun(long messages) {}

        /** This many messages do not come. */
        default void skip(long messages) {}
    }

    /**
     * @param publishers number of publishers, with the ids 0..publishers-1
     * @param sizes sizes of their messages, and their types
     * @param order listener, which hears of a run at its end, and when {@link #sequence} is called
     */
    public MessageCheck(int publishers, SizeTable sizes, Order order) {
        this.order = order;
        this.sequence = new SequenceCheck(publishers);
        this.sizes = sizes;
        this.run = sizes.isUniform() && RunPattern.fits(sizes.max()) ? new RunPattern(sizes) : null;
    }

    /**
     * Takes whole frames as long as they are, byte for byte, the next messages of the last publisher. For messages of
     * one size and type this is much cheaper than one by one.
     *
     * @param from begin of a frame
     * @return number of messages; 0: {@link #onMessage} has to check the next one
     */
    public int onRun(ByteBuffer source, int from, int to) {
        if (run == null || next == NONE) {
            return 0;
        }
        int messages = run.matching(source, from, to, next);
        next += messages;
        return messages;
    }

    /** The next stamp of the last message's publisher; negative where it is not known. */
    public long next() {
        return next;
    }

    /**
     * Checks one message.
     *
     * @param type a type of the run
     * @param body body between position and limit, both of which change
     * @return whether stamp and time are as sent
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

    /** Notes that this many messages do not come, by the relay's report. */
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

    /** Corrupted messages without a readable stamp. */
    public long unreadable() {
        return unreadable;
    }
}
