package dev.msgrelay.client.cli;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;

/** The message up to which {@code subscribe --until} reads, and whether all before it came. Owned by one thread. */
final class ReadUntil {
    private final boolean ofState;
    private long last;
    private long epoch;
    private long stateEnd;
    private boolean leftOut;
    private boolean connected;
    private long missing;
    private String otherStream = "";

    /**
     * @param last sequence of the last message wanted; 0: none is
     * @param epoch epoch of the relay's stream when it named that sequence; 0: the user named it
     */
    ReadUntil(long last, long epoch) {
        this(false, last, epoch);
    }

    private ReadUntil(boolean ofState, long last, long epoch) {
        this.ofState = ofState;
        this.last = last;
        this.epoch = epoch;
    }

    /** Reads on for ever. */
    static ReadUntil never() {
        return new ReadUntil(Long.MAX_VALUE, 0);
    }

    /**
     * Reads to the end of the state, which the connection tells. A message that was the newest before may have been
     * replaced by then, and its type comes behind it.
     */
    static ReadUntil endOfState() {
        return new ReadUntil(true, Long.MAX_VALUE, 0);
    }

    private boolean isNever() {
        return last == Long.MAX_VALUE && !ofState;
    }

    /** Hands on the messages up to the last one, since a read may bring more. */
    MessageHandler limiting(MessageHandler handler) {
        if (isNever()) {
            return handler;
        }
        return (sequence, type, body) -> {
            if (sequence <= last) {
                handler.onMessage(sequence, type, body);
            } else {
                leftOut = true;
            }
        };
    }

    void gap(Gap gap) {
        if (gap.isLoss() && gap.from() <= last) {
            missing += Math.min(gap.to(), last) - gap.from() + 1;
        }
    }

    void event(SessionEvent event) {
        if (event instanceof SessionEvent.Connected made) {
            if (!connected && epoch != 0 && made.welcome().epoch() != epoch) {
                otherStream = "the relay at " + made.endpoint() + " has another stream than the one that was asked";
            }
            if (!connected && ofState) {
                epoch = made.welcome().epoch();
            }
            connected = true;
        } else if (event instanceof SessionEvent.StreamChanged changed) {
            streamChanged(changed.epoch(), changed.text());
        } else if (event instanceof SessionEvent.StreamRolledBack back) {
            streamChanged(back.epoch(), back.text());
        } else if (event instanceof SessionEvent.StateComplete complete) {
            stateEnd = complete.next();
            last = ofState ? Math.min(last, stateEnd - 1) : last;
        }
    }

    private void streamChanged(long newEpoch, String text) {
        // At the first connection the stream may be another one than that of the position, and still the one asked.
        if (!isNever() && newEpoch != epoch) {
            otherStream = text;
        }
    }

    /** Whether there is nothing more to read; {@code next}: sequence of the next message, 0: not known yet. */
    boolean isOver(long next) {
        return next > last || !otherStream.isEmpty();
    }

    /** Whether the state goes on behind a message, so that a later run cannot begin there. */
    boolean isWithinState(long next) {
        return next < stateEnd;
    }

    /** Sequence of the first message that a later run has to read; {@code next}: that of the connection. */
    long next(long next) {
        return leftOut ? last + 1 : next;
    }

    /**
     * The end of the run.
     *
     * @throws IOException messages up to the last one are missing
     */
    void check() throws IOException {
        if (!otherStream.isEmpty()) {
            throw new CodedException(ExitCodes.NOT_WHOLE, "not whole: " + otherStream);
        }
        if (missing > 0) {
            throw new CodedException(
                    ExitCodes.NOT_WHOLE,
                    "not whole: " + ShortText.groupedOf(missing, "message") + " up to message "
                            + ShortText.grouped(last) + " did not come");
        }
    }

    /** The place that was not reached, in words; empty: there is none. */
    String wanted() {
        if (ofState) {
            return ", and the state is not complete";
        }
        return isNever() ? "" : ", and message " + ShortText.grouped(last) + " is not reached";
    }
}
