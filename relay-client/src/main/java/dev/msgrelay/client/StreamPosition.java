package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.WelcomeFrame;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Counts the messages of a numbered stream, and notices every jump. The number of the next message outlives the
 * connection: the stream is resumed there. Owned by the thread that polls.
 *
 * <p>The first jump that no frame explains ends the connection, and the stream is resumed at the first missing number.
 * If the same jump comes again, it is reported as a gap.
 */
final class StreamPosition {
    private static final long NONE = 0;

    /** Limit of a sequence: no stream gets there, and a number behind it would soon be negative. */
    private static final long FARTHEST = 1L << 62;

    private final Consumer<Gap> onGap;
    private final boolean mayResume;

    private long epoch;
    private Epochs epochs;
    private long next;
    private boolean filtered;
    private boolean numbered = true;
    private long doubted;
    private long missed;

    /**
     * @param epoch epoch that {@code next} belongs to; 0: any
     * @param epochs lives of its stream, this one and older ones
     * @param next sequence of the first message wanted; 0: the relay chooses
     * @param mayResume whether the connection is made again after its end
     */
    StreamPosition(long epoch, Epochs epochs, long next, boolean mayResume, Consumer<Gap> onGap) {
        this.epoch = epoch;
        this.epochs = epochs;
        this.next = next;
        this.mayResume = mayResume;
        this.onGap = onGap;
    }

    /** The stream's epoch; 0: not known yet. */
    long epoch() {
        return epoch;
    }

    /** The newest lives of the stream, as the last WELCOME told them. */
    Epochs epochs() {
        return epochs;
    }

    /** Sequence of the next message, or of an earlier one if single messages have no numbers; 0: not known yet. */
    long next() {
        return next;
    }

    /** Whether WELCOME says that its stream is another one than that of the numbers known here. */
    boolean isOther(WelcomeFrame welcome) {
        return epoch != NONE && welcome.epochChanged();
    }

    /** Whether the stream of WELCOME goes on with that of the numbers known here, in a later life of the relay. */
    boolean isOfALaterLife(WelcomeFrame welcome) {
        return epoch != NONE && welcome.epoch() != epoch && !welcome.epochChanged();
    }

    /**
     * The last life that this stream and that of a WELCOME which does not know the epoch have in common; empty: none.
     */
    Optional<Epochs.Common> commonWith(WelcomeFrame welcome) {
        return isOther(welcome) && !welcome.rolledBack()
                ? Optional.ofNullable(epochs.commonWith(welcome.epochs()))
                : Optional.empty();
    }

    /** Goes back to a life that the relay knows, and there to the last message before those that are gone. */
    void backTo(Epochs.Common common) {
        epoch = common.epoch();
        epochs = common.older();
        next = Math.min(next, common.changed());
    }

    /**
     * @param tellsNumbers whether a SEQUENCE frame comes wherever messages were left out
     * @param anew whether all of the state comes, from message 1 on, whatever the client has had
     */
    void welcome(WelcomeFrame welcome, boolean withFilter, boolean tellsNumbers, boolean anew) throws FrameException {
        filtered = withFilter;
        numbered = tellsNumbers;
        long at = welcome.next();
        notTooFar(ControlFrames.WELCOME, at);
        epochs = welcome.epochs();
        if (anew) {
            next = 1;
        } else if (next == NONE || isOther(welcome)) {
            next = at;
        }
        epoch = welcome.epoch();
        notBack(ControlFrames.WELCOME, at);
        if (at > next) {
            jump(ControlFrames.WELCOME, at);
        }
    }

    /** Takes note that the filter changes from here on. */
    void filtered(boolean withFilter) {
        filtered = withFilter;
    }

    long missed() {
        return missed;
    }

    /**
     * Takes back the count of a message and of those behind it, which are to come again; 0: its number is unknown, and
     * was not counted.
     */
    void back(long sequence) {
        if (sequence != NONE) {
            next = sequence;
        }
    }

    /** Counts a message; returns its sequence, or 0 if that is unknown. */
    long message() {
        return !filtered || numbered ? next++ : NONE;
    }

    /** Counts a run of messages; returns the sequence of the first, or 0 if that is unknown. */
    long messages(int count) {
        long first = message();
        next += first == NONE ? 0 : count - 1;
        return first;
    }

    /**
     * Takes SEQUENCE, PING or SUBSCRIBED: the next message is {@code at} or later, and messages before were left out.
     */
    void leftOut(int frame, long at) throws FrameException {
        notBack(frame, at);
        notTooFar(frame, at);
        if (at > next && !filtered) {
            jump(frame, at);
        }
        next = at;
    }

    void gap(long from, long to, int reason) throws FrameException {
        notTooFar(ControlFrames.GAP, to);
        leftOut(ControlFrames.GAP, from);
        missed(new Gap(from, to, reason));
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
        missed(new Gap(next, at - 1, Gap.UNEXPLAINED));
        next = at;
    }

    private void missed(Gap gap) {
        missed += gap.isLoss() ? gap.count() : 0;
        onGap.accept(gap);
    }
}
