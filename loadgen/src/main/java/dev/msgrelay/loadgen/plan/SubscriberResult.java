package dev.msgrelay.loadgen.plan;

import dev.msgrelay.loadgen.message.StateCheck;

/**
 * The result of one subscriber.
 *
 * @param told the relay's reports about messages that the subscriber misses; none without HELLO
 * @param closed why the relay closed the connection before the run's end, or null
 * @param closeReason the code of the relay's ERROR frame ({@link dev.msgrelay.protocol.CloseReason}), or 0
 */
public record SubscriberResult(
        int index, long messages, Faults faults, Told told, StateSeen state, String closed, int closeReason) {
    /** The value of {@code otherOrder} if the messages arrived in the same order at all subscribers. */
    public static final long SAME_ORDER = -1;

    /**
     * The faults in one subscriber's messages.
     *
     * @param tail number of lost messages after the last one that arrived; on an open connection, these may still be
     *     under way
     * @param foreign number of messages that no publisher of this run sent
     * @param otherOrder position in the stream from which the messages of different publishers arrived in another order
     *     than at other subscribers; or {@link #SAME_ORDER}. The position is rounded down to the start of a block.
     * @param unsampled by how many the recorded latencies differ from the number that should have been recorded
     * @param waitedMillis how long the subscriber waited for missing messages after the last one was sent; 0 if all
     *     arrived
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

        public Faults(long lost, long tail, long duplicated, long reordered, long corrupted, long foreign) {
            this(lost, tail, duplicated, reordered, corrupted, foreign, SAME_ORDER, 0, 0);
        }

        /** Whether each message arrived once and unchanged, or is missing. Otherwise the order cannot be compared. */
        boolean isEachOnce() {
            return duplicated + reordered + corrupted + foreign == 0;
        }

        Faults withOtherOrder(long position) {
            return new Faults(lost, tail, duplicated, reordered, corrupted, foreign, position, unsampled, waitedMillis);
        }
    }

    /**
     * The relay's reports to a subscriber about messages that it misses.
     *
     * @param missed number of missing messages that the relay reported
     * @param untrue number of reports with a wrong position in the stream
     */
    public record Told(long missed, long gaps, long untrue) {
        public static final Told NOTHING = new Told(0, 0, 0);
    }

    /**
     * What a subscriber that starts with the state saw.
     *
     * @param passedOver number of messages that the relay passed over, in favour of newer ones of their types
     * @param compared number of PINGs at which the newest message of each type was compared with the whole stream
     * @param wrong number of PINGs at which it was another one
     * @param first the first wrong type; null: none
     */
    public record StateSeen(long passedOver, long compared, long wrong, StateCheck.Wrong first) {
        public static final StateSeen NONE = new StateSeen(0, 0, 0, null);
    }

    public SubscriberResult(int index, long messages, Faults faults, Told told, String closed, int closeReason) {
        this(index, messages, faults, told, StateSeen.NONE, closed, closeReason);
    }

    /** Whether the position of each message in the stream is known, so that orders can be compared. */
    public boolean hasOrder() {
        return faults.isEachOnce() && told.untrue() == 0 && faults.lost() - faults.tail() <= told.missed();
    }

    public SubscriberResult withOtherOrder(long position) {
        return new SubscriberResult(index, messages, faults.withOtherOrder(position), told, state, closed, closeReason);
    }

    /** Sets {@code unsampled} if all messages arrived. A negative parameter means that a number is not known. */
    public SubscriberResult withSamples(long samples, long expected) {
        if (samples < 0 || expected < 0 || !faults.isEachOnce() || faults.lost() > 0) {
            return this;
        }
        Faults sampled = new Faults(0, 0, 0, 0, 0, 0, faults.otherOrder(), Math.abs(expected - samples), 0);
        return new SubscriberResult(index, messages, sampled, told, state, closed, closeReason);
    }

    public long lost() {
        return faults.lost() - undelivered();
    }

    /**
     * Returns the number of last messages that had not arrived when the wait ended, but may still have been under way;
     * 0 if the relay had closed the connection.
     */
    public long undelivered() {
        return closed == null ? faults.tail() : 0;
    }

    public boolean isClean() {
        return faults.isEachOnce() && faults.lost() == 0 && state.wrong() == 0 && closed == null;
    }

    public long untold() {
        return Math.max(0, faults.lost() - told.missed());
    }
}
