package dev.msgrelay.loadgen.plan;

/**
 * The result of one subscriber.
 *
 * @param messages within the window
 * @param faults over the whole run
 * @param told the relay's reports about messages that do not come; none without a HELLO
 * @param closed reason why the relay ended the connection before the run's end, or null
 * @param closeReason the code of the relay's ERROR frame ({@link dev.msgrelay.protocol.CloseReason}), or 0
 */
public record SubscriberResult(int index, long messages, Faults faults, Told told, String closed, int closeReason) {
    /** The value of {@code otherOrder} of messages in the same order. */
    public static final long SAME_ORDER = -1;

    /**
     * Faults of the messages.
     *
     * @param lost numbers that never came
     * @param tail the part of {@code lost} after the last message that came; on an open connection it may have been on
     *     its way
     * @param duplicated numbers that came again
     * @param reordered numbers that came after a higher one of their publisher
     * @param corrupted messages that are not, byte for byte, what was sent
     * @param foreign messages that no publisher of this run sent
     * @param otherOrder the first block of the stream, by the place of its first message, in which the messages of
     *     different publishers came in another order than to other subscribers; or {@link #SAME_ORDER}
     * @param unsampled latencies that should have been recorded, and are missing or too many
     * @param waitedMillis wait for missing messages, after the last one was sent; 0 where all came
     */
    public record Faults(
            long lost,
            long tail,
            long duplicated,
            long reordered,
            long corrupted,
            long foreign,
            long otherOrder,
            long unsampled,
            long waitedMillis) {
        public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);

        /** Faults of messages that are in the same order and sampled. */
        public Faults(long lost, long tail, long duplicated, long reordered, long corrupted, long foreign) {
            this(lost, tail, duplicated, reordered, corrupted, foreign, SAME_ORDER, 0, 0);
        }

        /** Whether each message came once and unchanged, or is missing; else the order has no meaning. */
        boolean isEachOnce() {
            return duplicated + reordered + corrupted + foreign == 0;
        }

        Faults withOtherOrder(long place) {
            return new Faults(lost, tail, duplicated, reordered, corrupted, foreign, place, unsampled, waitedMillis);
        }
    }

    /**
     * The relay's reports to a subscriber.
     *
     * @param missed messages that do not come
     * @param gaps number of GAPs
     * @param untrue number of reports that name a wrong place of the stream
     */
    public record Told(long missed, long gaps, long untrue) {
        public static final Told NOTHING = new Told(0, 0, 0);
    }

    /** Whether each message's place in the stream is known, so that orders can be compared. */
    public boolean hasOrder() {
        return faults.isEachOnce() && told.untrue() == 0 && faults.lost() - faults.tail() <= told.missed();
    }

    public SubscriberResult withOtherOrder(long place) {
        return new SubscriberResult(index, messages, faults.withOtherOrder(place), told, closed, closeReason);
    }

    /** The result with its missing samples, where all messages have come; -1 is a number that is not known. */
    public SubscriberResult withSamples(long samples, long expected) {
        if (samples < 0 || expected < 0 || !faults.isEachOnce() || faults.lost() > 0) {
            return this;
        }
        Faults sampled = new Faults(0, 0, 0, 0, 0, 0, faults.otherOrder(), Math.abs(expected - samples), 0);
        return new SubscriberResult(index, messages, sampled, told, closed, closeReason);
    }

    /** Messages that cannot come any more. */
    public long lost() {
        return faults.lost() - undelivered();
    }

    /** Messages that may still have been on their way when the wait was over, as the connection was open. */
    public long undelivered() {
        return closed == null ? faults.tail() : 0;
    }

    public boolean isClean() {
        return faults.isEachOnce() && faults.lost() == 0 && closed == null;
    }

    public long untold() {
        return Math.max(0, faults.lost() - told.missed());
    }
}
