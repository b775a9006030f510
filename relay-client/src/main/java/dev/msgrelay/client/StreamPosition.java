package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.WelcomeFrame;
import java.util.function.Consumer;

/**
 * Counts the messages of a numbered stream, and notices every jump. The number of the next message outlives the
 * connection: from there the stream is resumed. Owned by the thread that polls.
 *
 * <p>A jump that no frame explains is not believed the first time: the connection is ended, and the stream resumed with
 * the first number in doubt. If the same jump comes again, it is told as a gap.
 */
final class StreamPosition {
    private static final long NONE = 0;

    /** No stream gets there; what follows a jump so far would soon be negative. */
    private static final long FARTHEST = 1L << 62;

    private final Consumer<Gap> onGap;
    private final boolean mayResume;

    private long epoch;
    private long next;
    private boolean filtered;
    private boolean numbered = true;
    private long doubted;

    /**
     * @param epoch that {@code next} belongs to; 0: any
     * @param next sequence of the first message wanted; 0: where the relay starts
     * @param mayResume whether the connection is made again after it was ended
     */
    StreamPosition(long epoch, long next, boolean mayResume, Consumer<Gap> onGap) {
        this.epoch = epoch;
        this.next = next;
        this.mayResume = mayResume;
        this.onGap = onGap;
    }

    /** 0: not known yet. */
    long epoch() {
        return epoch;
    }

    /** Sequence of the next message, or of one before it where the single messages have no numbers; 0: not known yet. */
    long next() {
        return next;
    }

    /** Whether WELCOME says that the numbers known here are not those of its stream. */
    boolean isOther(WelcomeFrame welcome) {
        return epoch != NONE && welcome.epochChanged();
    }

    /** @param tellsNumbers whether SEQUENCE frames stand wherever messages were left out */
    void welcome(WelcomeFrame welcome, boolean withFilter, boolean tellsNumbers) throws FrameException {
        filtered = withFilter;
        numbered = tellsNumbers;
        long at = welcome.next();
        notTooFar(ControlFrames.WELCOME, at);
        if (next == NONE || isOther(welcome)) {
            epoch = welcome.epoch();
            next = at;
            return;
        }
        epoch = welcome.epoch();
        notBack(ControlFrames.WELCOME, at);
        if (at > next) {
            jump(ControlFrames.WELCOME, at);
        }
    }

    /** The filter is another one from here on. */
    void filtered(boolean withFilter) {
        filtered = withFilter;
    }

    /** A message: its sequence, or 0 where that is not known. */
    long message() {
        return !filtered || numbered ? next++ : NONE;
    }

    /** SEQUENCE, PING or SUBSCRIBED: the next message is at least {@code at}, what lies between was left out. */
    void leftOut(int frame, long at) throws FrameException {
        notBack(frame, at);
        notTooFar(frame, at);
        if (at > next && !filtered) {
            jump(frame, at);
        }
        next = at;
    }

    /** GAP. */
    void gap(long from, long to, int reason) throws FrameException {
        notTooFar(ControlFrames.GAP, to);
        leftOut(ControlFrames.GAP, from);
        onGap.accept(new Gap(from, to, reason));
        next = to + 1;
    }

    private static void notTooFar(int frame, long at) throws FrameException {
        if (at > FARTHEST) {
            throw new FrameException(
                    CloseReason.MALFORMED_CONTROL,
                    ControlFrames.name(frame) + " to " + at + " is beyond " + FARTHEST + ", where no stream gets");
        }
    }

    private void notBack(int frame, long at) throws FrameException {
        if (at < next) {
            throw new FrameException(
                    CloseReason.PROTOCOL_ORDER,
                    ControlFrames.name(frame) + " goes back from message " + next + " to " + at);
        }
    }

    private void jump(int frame, long at) throws FrameException {
        if (mayResume && doubted != next) {
            doubted = next;
            throw new FrameException(
                    CloseReason.PROTOCOL_ORDER,
                    ControlFrames.name(frame) + " jumps from message " + next + " to " + at + " without a reason");
        }
        doubted = NONE;
        onGap.accept(new Gap(next, at - 1, Gap.UNEXPLAINED));
        next = at;
    }
}
