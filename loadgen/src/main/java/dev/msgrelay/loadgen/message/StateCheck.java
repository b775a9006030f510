package dev.msgrelay.loadgen.message;

import java.util.Arrays;

/**
 * Checks the state of a subscriber that starts with it. At each PING, the newest message that the subscriber had of
 * each type must be the newest of this type in the whole stream before the PING's next sequence.
 *
 * <p>The stream is known without another subscriber: one publisher alone sends it, from the relay's start on, so the
 * message with sequence {@code s} is the publisher's number {@code s - 1}, and its type follows from that. A message
 * costs two entries of a table, a PING nothing while all is right, and a message that was passed over one entry. A type
 * takes 16 bytes. Not thread-safe: the subscriber's thread owns it.
 *
 * <pre>
 *  stream  0:a 1:b 2:a 3:c 4:b         numbers and types
 *  got     (passed over 0, 1) 2 3 4    had: a 2, b 4, c 3; newest: the same
 * </pre>
 */
public final class StateCheck {
    /** Bytes of each type. */
    public static final int BYTES_OF_A_TYPE = 2 * Long.BYTES;

    public static final long NONE = -1;

    private final SizeTable sizes;
    private final long[] newest;
    private final long[] had;
    private long next;
    /** Number of types of which the subscriber does not have the newest message. */
    private int behind;

    private long compared;
    private long wrong;
    private Wrong first;

    /**
     * A type whose newest message was not the one that the subscriber had at a PING.
     *
     * @param next the PING's next sequence
     * @param expected number of the newest message of the type before {@code next}
     * @param got number of the newest one that came, or {@link #NONE}
     */
    public record Wrong(long next, int type, long expected, long got) {
        @Override
        public String toString() {
            String came = got == NONE ? "none" : "message " + got;
            return "type " + type + " had " + came + " where message " + expected + " is the newest before sequence "
                    + next;
        }
    }

    public StateCheck(SizeTable sizes) {
        this.sizes = sizes;
        this.newest = new long[sizes.types()];
        this.had = new long[sizes.types()];
        Arrays.fill(newest, NONE);
        Arrays.fill(had, NONE);
    }

    /** The next message of the stream came, with this type and number; both may be wrong. */
    public void onMessage(int type, long number) {
        streamGoesOn();
        if (sizes.carries(type)) {
            note(had, sizes.indexOf(type), number);
        }
    }

    /** The relay passed over this many messages, since newer ones of their types are to come. */
    public void onPassedOver(long messages) {
        for (long i = 0; i < messages; i++) {
            streamGoesOn();
        }
    }

    /** The relay told that this many messages are lost. They count as had, since the loss is no error of the state. */
    public void onLost(long messages) {
        for (long i = 0; i < messages; i++) {
            note(had, sizes.indexOf(sizes.typeOf(next)), next);
            streamGoesOn();
        }
    }

    private void streamGoesOn() {
        note(newest, sizes.indexOf(sizes.typeOf(next)), next);
        next++;
    }

    private void note(long[] table, int index, long number) {
        int before = isBehind(index);
        table[index] = number;
        behind += isBehind(index) - before;
    }

    private int isBehind(int index) {
        return newest[index] == had[index] ? 0 : 1;
    }

    public void onPing() {
        compared++;
        if (behind == 0) {
            return;
        }
        wrong++;
        if (first == null) {
            int index = Arrays.mismatch(newest, had);
            first = new Wrong(next + 1, sizes.typeAt(index), newest[index], had[index]);
        }
    }

    /** Returns at how many PINGs all types were compared. */
    public long compared() {
        return compared;
    }

    /** Returns at how many PINGs a type was wrong. */
    public long wrong() {
        return wrong;
    }

    /** Returns the first type that was wrong, or null. */
    public Wrong first() {
        return first;
    }
}
