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
 * The control frames that are due to a client: of each kind only the newest, so that a client that asks a lot and reads
 * nothing costs no more than this. Answers to SUBSCRIBEs are kept as numbers, and the subscriber bounds them. Nothing
 * is due before WELCOME. Owned by the connection's thread.
 */
public final class Outbox {
    /** Most bytes without answers: the longest WELCOME, GOAWAY with the relay's text, and one of each short frame. */
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

    public void welcome(ByteBuffer frame) {
        welcome = frame;
    }

    /** Puts a GAP; messages after those of a GAP that is due already extend it. */
    public void gap(long from, long to, GapReason reason) {
        if (gapTo == 0) {
            gapFrom = from;
            gapReason = reason;
        }
        gapTo = to;
    }

    /** Sets the number, and its sequence, after which messages are acknowledged. */
    public void ackedUpTo(long number, long sequence) {
        ackNumber = number;
        ackSequence = sequence;
    }

    /** Lets acknowledgements tell levels; the client knows these numbers. */
    public void tellLevels(long written, long forced) {
        tellsLevels = true;
        ackWritten = written;
        ackForced = forced;
    }

    /** Puts the numbers up to which a publisher's acknowledged messages are written and forced. */
    public void levels(long written, long forced) {
        if (written > ackWritten || forced > ackForced) {
            ackDue = true;
            ackWritten = written;
            ackForced = forced;
        }
    }

    public void ack(long number, long sequence) {
        if (number > ackNumber) {
            ackDue = true;
            ackNumber = number;
            ackSequence = sequence;
        }
    }

    /** Puts an answer to a SUBSCRIBE; see {@link #answers}. */
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

    /** Takes GOAWAY alone; empty: it is not due, or may not be sent before WELCOME. */
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

    /** Returns the most bytes that {@link #putDue} puts. */
    public int mostBytes() {
        return MOST_BYTES + answered * ANSWER_BYTES;
    }

    /**
     * Puts all frames that are due, and forgets them.
     *
     * @param next to a subscriber: the sequence of the next message that it can get; otherwise 0
     * @param head the newest sequence of the stream
     * @return whether a frame has a number from which a subscriber counts
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
