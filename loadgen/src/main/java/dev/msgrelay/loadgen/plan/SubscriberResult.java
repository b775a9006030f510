package dev.msgrelay.loadgen.plan;

/**
 * The result of one subscriber.
 *
 * @param messages within the window
 * @param faults over the whole run
 * @param told what the relay told it of messages that it does not get; nothing without a HELLO
 * @param closed why the relay's side ended before the run did, or null
 * @param closeReason the code of the relay's ERROR frame ({@link dev.msgrelay.protocol.CloseReason}), or 0
 */
public record SubscriberResult(int index, long messages, Faults faults, Told told, String closed, int closeReason) {
    /** In place of a message's place in the stream: all came in one order. */
    public static final long SAME_ORDER = -1;

    /**
     * Faults of the messages.
     *
     * @param lost numbers that never came, and of these
     * @param tail those after the last message that came: where the relay's side had not ended, they may have been on their way
     * @param duplicated numbers that came again
     * @param reordered numbers that came after a higher one of their publisher
     * @param corrupted messages that are not, byte for byte, what was sent
     * @param foreign messages that no publisher of this run sent
     * @param otherOrder the first block of the stream, by the place of its first message, in which the messages of
     *     different publishers came in another order than to other subscribers; or {@link #SAME_ORDER}
     * @param unsampled messages that came, and whose latency should have been recorded and was not
     * @param waitedMillis for what was still to come, once all was sent; 0 where all came
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

        /** All of one order and sampled. */
        public Faults(long lost, long tail, long duplicated, long reordered, long corrupted, long foreign) {
            this(lost, tail, duplicated, reordered, corrupted, foreign, SAME_ORDER, 0, 0);
        }

        /** Whether each message came once, as it was sent, or is missing: only then the order tells anything more. */
        boolean isEachOnce() {
            return duplicated + reordered + corrupted + foreign == 0;
        }

        Faults withOtherOrder(long place) {
            return new Faults(lost, tail, duplicated, reordered, corrupted, foreign, place, unsampled, waitedMillis);
        }
    }

    /**
     * The relay's own words.
     *
     * @param missed messages that do not come, in so many
     * @param gaps receipts
     * @param untrue how often it told that the stream stands where it does not
     */
    public record Told(long missed, long gaps, long untrue) {
        public static final Told NOTHING = new Told(0, 0, 0);
    }

    /** Whether its place in the stream is known all the time, so that its order can be compared with that of others. */
    public boolean hasOrder() {
        return faults.isEachOnce() && told.untrue() == 0 && faults.lost() - faults.tail() <= told.missed();
    }

    public SubscriberResult withOtherOrder(long place) {
        return new SubscriberResult(index, messages, faults.withOtherOrder(place), told, closed, closeReason);
    }

    /** With the samples that are missing, where all messages have come; -1 for a number that is not known. */
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

    /** Messages that had not come when nobody waited any longer, and might have: the relay's side had not ended. */
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
