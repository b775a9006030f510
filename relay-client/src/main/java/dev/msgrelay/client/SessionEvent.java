package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/**
 * An event of the connection of a {@link RelaySubscriber} or {@link RelayPublisher}. Events come in order, on the
 * thread that owns the connection: the one that polls, or the publisher's own.
 *
 * <pre>
 *  Connecting -> Connected | ConnectedPlain -> (GoingAway) -> Lost -> Connecting ...
 *             -> Lost -> Connecting ...                       GaveUp: the last one
 * </pre>
 *
 * <pre>{@code
 * SubscriberOptions.builder("127.0.0.1:7400").onEvent(event -> {
 *     if (event instanceof SessionEvent.StreamRolledBack back) {
 *         System.err.println("messages " + back.fork() + " to " + back.had() + " are gone");
 *     } else {
 *         System.err.println(event.text());
 *     }
 * });
 * }</pre>
 */
public sealed interface SessionEvent {
    /** The endpoint of the connection. */
    Endpoint endpoint();

    /** One printable line for people, whatever the relay's text is. */
    String text();

    /** Whether a connection or messages are lost, which no exception tells. */
    default boolean isLoss() {
        return !(this instanceof Connecting
                || this instanceof Connected
                || this instanceof ConnectedPlain
                || this instanceof GoingAway
                || this instanceof StateComplete
                || this instanceof StateLate
                || this instanceof CertificateEnds
                || this instanceof GaveUp);
    }

    /** A try begins. */
    record Connecting(Endpoint endpoint) implements SessionEvent {
        @Override
        public String text() {
            return "connecting to " + endpoint;
        }
    }

    /**
     * The relay has answered HELLO. The WELCOME has, of a relay that tells it, the client's address and identity as the
     * relay sees them; and of one that grants it, the interval in milliseconds, else 0.
     *
     * @param anew with a start with the state, whether all comes from the beginning: what the program knew is void
     */
    record Connected(Endpoint endpoint, WelcomeFrame welcome, boolean anew) implements SessionEvent {
        @Override
        public String text() {
            String who = welcome.server().isEmpty() ? "" : " (" + PrintableText.line(welcome.server()) + ")";
            int interval = welcome.intervalMillis();
            return "connected to " + endpoint + who
                    + (interval == 0 ? "" : ", with messages every " + interval + " ms");
        }
    }

    /** A connection in the plain mode is made; nothing is known about the relay. */
    record ConnectedPlain(Endpoint endpoint) implements SessionEvent {
        @Override
        public String text() {
            return "connected to " + endpoint + " without HELLO";
        }
    }

    /** A try has failed, or the connection is lost; there will be another try after {@code nextTryIn}. */
    record Lost(Endpoint endpoint, IOException cause, Duration nextTryIn) implements SessionEvent {
        @Override
        public String text() {
            String when = nextTryIn.isZero() ? "at once" : "in " + nextTryIn.toMillis() + " ms";
            return cause.getMessage() + "; next try " + when;
        }
    }

    /** The last event: there will be no more tries, and the subscriber or publisher has failed with this cause. */
    record GaveUp(Endpoint endpoint, IOException cause) implements SessionEvent {
        @Override
        public String text() {
            return "gave up: " + cause.getMessage();
        }
    }

    /** The relay will close the connection, which works until then. */
    record GoingAway(Endpoint endpoint, GoAwayFrame goAway) implements SessionEvent {
        @Override
        public String text() {
            CloseReason reason = goAway.reason();
            String why = reason == null ? "reason " + goAway.code() : reason.text();
            return "the relay at " + endpoint + " will close in " + goAway.closesInMillis()
                    + " ms at the latest: " + why
                    + (goAway.text().isEmpty() || goAway.text().equals(why)
                            ? ""
                            : ", " + PrintableText.line(goAway.text()));
        }
    }

    /**
     * A subscriber's stream is another one than before: the relay was started anew, or is another relay. All messages
     * of the former stream from {@code lostFrom} on are lost; their number is unknown.
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
     * The relay, or its machine, ended before all messages of a subscriber's stream were on its disk, or an older
     * backup was put back; and the stream has continued from those that were there. Messages {@code fork} to {@code
     * had}, which this subscriber has received, are gone, and other messages have these numbers. The subscriber
     * continues with {@code fork}, or with a start with the state begins anew.
     */
    record StreamRolledBack(Endpoint endpoint, long oldEpoch, long had, long epoch, long fork) implements SessionEvent {
        @Override
        public String text() {
            return "the stream of the relay at " + endpoint + " was rolled back: messages " + fork + " to " + had
                    + ", which came before, are not in it; it goes on with another message " + fork;
        }
    }

    /**
     * The state that a subscriber has asked for is complete: what it has had is the stream up to the message before
     * {@code next}, type by type. Once for each connection, in its place between the messages.
     */
    record StateComplete(Endpoint endpoint, long next) implements SessionEvent {
        @Override
        public String text() {
            return "the state of the relay at " + endpoint + " is complete; the stream goes on with message " + next;
        }
    }

    /** The state is not complete after {@code afterMillis} ms; once for each connection. */
    record StateLate(Endpoint endpoint, long afterMillis) implements SessionEvent {
        @Override
        public String text() {
            return "the state of the relay at " + endpoint + " is not complete after " + afterMillis
                    + " ms: types change faster than they are read";
        }
    }

    /**
     * The certificate that this client shows ends soon, or has ended: told once each where at most 30, 7, 1 and 0 days
     * are left.
     *
     * @param days rounded up; 0 or below: it has ended
     * @param endMillis its end, in milliseconds since 1970
     */
    record CertificateEnds(Endpoint endpoint, long days, long endMillis) implements SessionEvent {
        @Override
        public String text() {
            return "this client's certificate "
                    + (days == 1 ? "ends within 1 day" : days > 0 ? "ends within " + days + " days" : "has ended")
                    + ": "
                    + Instant.ofEpochMilli(endMillis);
        }
    }

    /** A plain connection is made again: the number of messages missed meanwhile is unknown. */
    record MissedUnknown(Endpoint endpoint) implements SessionEvent {
        @Override
        public String text() {
            return "connected to " + endpoint + " again: an unknown number of messages was missed";
        }
    }

    /**
     * A publisher's relay was started anew, or is another one: acknowledged messages were in a stream that is gone;
     * {@code unacknowledged} messages are sent again.
     */
    record RelayRestarted(Endpoint endpoint, long oldEpoch, long epoch, long unacknowledged) implements SessionEvent {
        @Override
        public String text() {
            return "the relay at " + endpoint + " has another stream: what it had acknowledged is gone"
                    + sentAgain(unacknowledged);
        }
    }

    /**
     * The relay's stream was rolled back: the publisher's messages {@code from} to {@code to}, which were acknowledged
     * as in the stream, may be gone. {@code unacknowledged} messages are sent again.
     */
    record AcknowledgedGone(Endpoint endpoint, long oldEpoch, long epoch, long from, long to, long unacknowledged)
            implements SessionEvent {
        @Override
        public String text() {
            return "the stream of the relay at " + endpoint + " was rolled back: messages " + from + " to " + to
                    + ", which it had acknowledged, may be gone" + sentAgain(unacknowledged);
        }
    }

    /**
     * A connection without acknowledgements is lost: {@code messages} messages were sent over it, and the relay has not
     * confirmed that it has read them; plain, all that were sent over it. The last of them may be lost.
     *
     * @param messages at least 1
     * @param bytes of these messages on the wire, headers included
     */
    record InDoubt(Endpoint endpoint, long messages, long bytes) implements SessionEvent {
        @Override
        public String text() {
            return ShortText.counted(messages, "message") + ", " + bytes
                    + " bytes in doubt: sent over the connection to " + endpoint + ", which is lost";
        }
    }

    /** The end of a sentence about messages that are sent again; empty: there are none. */
    private static String sentAgain(long messages) {
        return messages == 0
                ? ""
                : "; " + ShortText.counted(messages, "message") + " that it had not " + (messages == 1 ? "is" : "are")
                        + " sent again";
    }
}
