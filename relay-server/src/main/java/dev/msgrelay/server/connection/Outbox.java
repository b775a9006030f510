package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.AckFrame;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The control frames that are due to a client that said HELLO. Of each kind the newest only, so that one that asks a lot and reads
 * nothing costs no more than this; answers to SUBSCRIBEs are numbers, and whoever adds them asks how many there are.
 *
 * <p>Nothing but WELCOME is said before WELCOME. Owned by the connection's thread.
 */
public final class Outbox {
    /** The longest WELCOME, GOAWAY with the relay's text, and one each of the short ones: without answers it is no more. */
    public static final int MOST_BYTES = 1024;

    private static final int FIRST_ANSWERS = 4;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** SUBSCRIBED: header, request, reserved, sequence. */
    public static final int ANSWER_BYTES = FrameLayout.HEADER_LENGTH + 16;

    private ByteBuffer welcome = NOTHING;
    private boolean welcomed;
    private long gapFrom;
    private long gapTo;
    private GapReason gapReason;
    private boolean ackDue;
    private long ackNumber;
    private long ackSequence;
    private boolean tellsLevels;
    private long ackWritten;
    private long ackForced;
    private int[] answers = {};
    private int answered;
    private boolean pongDue;
    private long pongId;
    // 0: none is due.
    private long pingId;
    private ByteBuffer goAway = NOTHING;

    /** Goes before everything else. */
    public void welcome(ByteBuffer frame) {
        welcome = frame;
    }

    /** A subscriber does not get these messages. They lie right behind those that it will be told of already. */
    public void gap(long from, long to, GapReason reason) {
        if (gapTo == 0) {
            gapFrom = from;
            gapReason = reason;
        }
        gapTo = to;
    }

    /** Up to this number, and its sequence, there is nothing to acknowledge. */
    public void ackedUpTo(long number, long sequence) {
        ackNumber = number;
        ackSequence = sequence;
    }

    /** With LEVELS: acknowledgements tell them, and up to these numbers that is known. */
    public void tellLevels(long written, long forced) {
        tellsLevels = true;
        ackWritten = written;
        ackForced = forced;
    }

    /** A publisher's messages up to these numbers, which were told to be in the stream, are written and forced. */
    public void levels(long written, long forced) {
        if (written > ackWritten || forced > ackForced) {
            ackDue = true;
            ackWritten = written;
            ackForced = forced;
        }
    }

    /** A publisher's messages up to this number are in the stream. */
    public void ack(long number, long sequence) {
        if (number > ackNumber) {
            ackDue = true;
            ackNumber = number;
            ackSequence = sequence;
        }
    }

    /** A SUBSCRIBE is due an answer; see {@link #answers}. */
    public void subscribed(int request) {
        if (answered == answers.length) {
            answers = Arrays.copyOf(answers, Math.max(FIRST_ANSWERS, 2 * answered));
        }
        answers[answered++] = request;
    }

    public int answers() {
        return answered;
    }

    public void pong(long id) {
        pongDue = true;
        pongId = id;
    }

    public void ping(long id) {
        pingId = id;
    }

    public void goAway(GoAwayFrame frame) {
        goAway = frame.encode();
    }

    /** Returns GOAWAY alone, where it is due and may be said; otherwise nothing. */
    public ByteBuffer takeGoAway() {
        if (!welcomed) {
            return NOTHING;
        }
        ByteBuffer frame = goAway;
        goAway = NOTHING;
        return frame;
    }

    public boolean due() {
        return welcome != NOTHING
                || (welcomed && (gapTo > 0 || ackDue || answered > 0 || pongDue || pingId > 0 || goAway != NOTHING));
    }

    /** Bytes that {@link #putDue} puts at most. */
    public int mostBytes() {
        return MOST_BYTES + answered * ANSWER_BYTES;
    }

    /**
     * Puts all that is due, and forgets it.
     *
     * @param next to a subscriber: the sequence of the next message that it can get; otherwise 0
     * @param head the newest sequence of the stream
     * @return whether it holds a number that sets a subscriber's count
     */
    public boolean putDue(ByteBuffer to, long next, long head) {
        boolean counts = welcome != NOTHING || gapTo > 0 || answered > 0 || pingId > 0;
        if (welcome != NOTHING) {
            to.put(welcome);
            welcome = NOTHING;
            welcomed = true;
        }
        if (gapTo > 0) {
            GapFrame.put(to, gapFrom, gapTo, gapReason);
            gapTo = 0;
        }
        if (ackDue) {
            if (tellsLevels) {
                AckFrame.put(to, ackNumber, ackSequence, ackWritten, ackForced);
            } else {
                AckFrame.put(to, ackNumber, ackSequence);
            }
            ackDue = false;
        }
        for (int i = 0; i < answered; i++) {
            to.put(new SubscribedFrame(answers[i], next).encode());
        }
        answered = 0;
        if (pingId > 0) {
            PingFrame.put(to, pingId, next, head);
            pingId = 0;
        }
        if (pongDue) {
            PongFrame.put(to, pongId);
            pongDue = false;
        }
        to.put(goAway);
        goAway = NOTHING;
        return counts;
    }
}
