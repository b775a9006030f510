package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.time.Duration;

/**
 * What happens to the connection of a {@link RelaySubscriber} or {@link RelayPublisher}. Told in order, on
 * the thread that owns the connection: the one that polls, or the publisher's own.
 *
 * <pre>
 *  Connecting -> Connected | ConnectedPlain -> (GoingAway) -> Lost -> Connecting ...
 *             -> Lost -> Connecting ...                       GaveUp: the last one
 * </pre>
 */
public sealed interface SessionEvent {
    /** Whom it is about. */
    Endpoint endpoint();

    /** One printable line for people, whatever the relay says. */
    String text();

    /** A try begins. */
    record Connecting(Endpoint endpoint) implements SessionEvent {
        @Override
        public String text() {
            return "connecting to " + endpoint;
        }
    }

    /** The relay has answered HELLO. */
    record Connected(Endpoint endpoint, WelcomeFrame welcome) implements SessionEvent {
        @Override
        public String text() {
            String who = welcome.server().isEmpty() ? "" : " (" + PrintableText.line(welcome.server()) + ")";
            return "connected to " + endpoint + who;
        }
    }

    /** The plain mode: the connection is made, and nothing is known of the relay. */
    record ConnectedPlain(Endpoint endpoint) implements SessionEvent {
        @Override
        public String text() {
            return "connected to " + endpoint + " without HELLO";
        }
    }

    /** The try failed or the connection is lost; there will be another try after {@code nextTryIn}. */
    record Lost(Endpoint endpoint, IOException cause, Duration nextTryIn) implements SessionEvent {
        @Override
        public String text() {
            String when = nextTryIn.isZero() ? "at once" : "in " + nextTryIn.toMillis() + " ms";
            return cause.getMessage() + "; next try " + when;
        }
    }

    /** There will be no more tries: the subscriber or publisher has failed with this cause. */
    record GaveUp(Endpoint endpoint, IOException cause) implements SessionEvent {
        @Override
        public String text() {
            return "gave up: " + cause.getMessage();
        }
    }

    /** The relay will close the connection; it works until then. */
    record GoingAway(Endpoint endpoint, GoAwayFrame goAway) implements SessionEvent {
        @Override
        public String text() {
            CloseReason reason = goAway.reason();
            String why = reason == null ? "reason " + goAway.code() : reason.text();
            return "the relay at " + endpoint + " will close in " + goAway.closesInMillis() + " ms: " + why
                    + (goAway.text().isEmpty() || goAway.text().equals(why)
                            ? ""
                            : ", " + PrintableText.line(goAway.text()));
        }
    }

    /**
     * A subscriber's stream is another one than before: the relay was started anew, or is another relay. Of the former
     * stream all from {@code lostFrom} on is lost, and nobody can say how much that is.
     */
    record StreamChanged(Endpoint endpoint, long oldEpoch, long lostFrom, long epoch, long next)
            implements SessionEvent {
        @Override
        public String text() {
            return "the relay at " + endpoint + " has another stream: of the former one all from message " + lostFrom
                    + " on is lost; this one goes on with message " + next;
        }
    }

    /**
     * The relay, or its machine, ended before all of a subscriber's stream was on its disk, and the stream went on from what
     * was. Of what this subscriber had, {@code fork} to {@code had} is gone, and other messages have these numbers. It goes on
     * with {@code fork}.
     */
    record StreamRolledBack(Endpoint endpoint, long oldEpoch, long had, long epoch, long fork) implements SessionEvent {
        @Override
        public String text() {
            return "the stream of the relay at " + endpoint + " was rolled back: messages " + fork + " to " + had
                    + ", which came before, are not in it; it goes on with another message " + fork;
        }
    }

    /** The plain mode, connected again: how many messages were missed meanwhile is unknown. */
    record MissedUnknown(Endpoint endpoint) implements SessionEvent {
        @Override
        public String text() {
            return "connected to " + endpoint + " again: an unknown number of messages was missed";
        }
    }

    /**
     * A publisher's relay was started anew, or is another one: what was acknowledged was in a stream that is gone; what
     * was not, {@code unacknowledged} messages, is sent again.
     */
    record RelayRestarted(Endpoint endpoint, long oldEpoch, long epoch, long unacknowledged) implements SessionEvent {
        @Override
        public String text() {
            return "the relay at " + endpoint + " has another stream: what it had acknowledged is gone; "
                    + sentAgain(unacknowledged);
        }
    }

    /**
     * The same for a publisher: of its messages that were acknowledged as in the stream, those with the numbers {@code from}
     * to {@code to} may be gone. What was not acknowledged, {@code unacknowledged} messages, is sent again.
     */
    record AcknowledgedGone(Endpoint endpoint, long oldEpoch, long epoch, long from, long to, long unacknowledged)
            implements SessionEvent {
        @Override
        public String text() {
            return "the stream of the relay at " + endpoint + " was rolled back: messages " + from + " to " + to
                    + ", which it had acknowledged, may be gone; " + sentAgain(unacknowledged);
        }
    }

    /** Without acknowledgements: so much was handed to the connection that is lost now; the last of it may not have arrived. */
    record InDoubt(Endpoint endpoint, long messages, long bytes) implements SessionEvent {
        @Override
        public String text() {
            return "of " + ShortText.counted(messages, "message") + ", " + bytes + " bytes sent over the connection to "
                    + endpoint + " the last may be lost";
        }
    }

    /** In words, at the end of a sentence. */
    private static String sentAgain(long messages) {
        return ShortText.counted(messages, "message") + " that it had not " + (messages == 1 ? "is" : "are")
                + " sent again";
    }
}
