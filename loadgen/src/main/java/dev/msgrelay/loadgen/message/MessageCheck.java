package dev.msgrelay.loadgen.message;

import java.nio.ByteBuffer;

/** Checks every byte, publisher id and number of one subscriber's messages. The subscriber's thread owns it. */
public final class MessageCheck {
    /** The value of {@link #next} if the next message is not known. */
    private static final long NONE = -1;

    private final SizeTable sizes;
    private final RunPattern run;
    private final ByteBuffer pattern = Padding.view();
    private final SequenceCheck sequence;
    private final Order order;

    /**
     * The stamp after the last message of the current run. Messages from {@link #counted} on are not yet counted in
     * {@link #sequence} and {@link #order}.
     */
    private long next = NONE;

    private long counted = NONE;
    private long corrupted;
    private long unreadable;

    /** Records the order of all messages. */
    public interface Order {
        Order UNHEARD = new Order() {};

        /** A message starts a run: it does not follow the previous message in the numbering of one publisher. */
        default void startRun(long stamp) {}

        /** The current run continues with this many messages. */
        default void continueRun(long messages) {}

        /** This many messages are missing. */
        default void skip(long messages) {}
    }

    /**
     * @param publishers number of publishers, whose ids are 0..publishers-1
     * @param order recorder of the order, which is called at the end of a run, and by {@link #sequence}
     */
    public MessageCheck(int publishers, SizeTable sizes, Order order) {
        this.order = order;
        this.sequence = new SequenceCheck(publishers);
        this.sizes = sizes;
        this.run = sizes.isUniform() && RunPattern.fits(sizes.max()) ? new RunPattern(sizes) : null;
    }

    /**
     * Accepts whole frames as long as they are, byte for byte, the next messages of the current publisher. If messages
     * have one size and type, one call is much cheaper than {@link #onMessage} for each message.
     *
     * @return number of messages; 0: the caller has to check the next one by {@link #onMessage}
     */
    public int onRun(ByteBuffer source, int from, int to) {
        if (run == null || next == NONE) {
            return 0;
        }
        int messages = run.matching(source, from, to, next);
        next += messages;
        return messages;
    }

    /** Returns the stamp that follows the last message; negative if it is not known. */
    public long next() {
        return next;
    }

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

    /** Notes that the relay reported this many messages as missing. */
    public void onGap(long messages) {
        countRun();
        next = NONE;
        counted = NONE;
        order.skip(messages);
    }

    /** Notes that the relay passed over this many messages of the only publisher, in favour of newer ones. */
    public void onPassedOver(long messages) {
        onGap(messages);
        sequence.onPassedOver(0, messages);
    }

    public SequenceCheck sequence() {
        countRun();
        return sequence;
    }

    public long corrupted() {
        return corrupted;
    }

    public long unreadable() {
        return unreadable;
    }
}
