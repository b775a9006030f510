package dev.msgrelay.client;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;

/** What a publisher says about messages that are not settled, and about its failures. Any thread. */
final class Unsettled {
    private final PublisherOptions options;
    private final SendQueue queue;
    private final PublisherSession session;

    Unsettled(PublisherOptions options, SendQueue queue, PublisherSession session) {
        this.options = options;
        this.queue = queue;
        this.session = session;
    }

    /** A message was not taken. */
    PublishException refused(PublishOutcome outcome) {
        IOException failure = queue.failure();
        if (failure != null) {
            return failed(failure);
        }
        long left = queue.unsettledMessages();
        return outcome == PublishOutcome.FULL
                ? withTrouble("the message was not taken: the buffer has no room", left)
                : new PublishException("the publisher is closed", left, null);
    }

    /** The publisher has failed. A new exception each time: one cannot suppress itself. */
    PublishException failed(IOException failure) {
        long left = queue.unsettledMessages();
        String why = failure.getMessage();
        boolean says = left == 0 || failure instanceof PublishException;
        return new PublishException(says ? why : words(left) + ": " + why, left, failure);
    }

    /** A flush has to tell of so many messages. */
    PublishException unflushed(long left) {
        return withTrouble(words(left) + (options.confirms() ? "" : " in time"), left);
    }

    /** The publisher is closed with so many messages left; {@code why}: empty, or a reason. */
    PublishException closed(long left, String why) {
        return withTrouble("closed with " + words(left) + why, left);
    }

    private PublishException withTrouble(String what, long left) {
        IOException trouble = session.trouble();
        return new PublishException(what + (trouble == null ? "" : ": " + trouble.getMessage()), left, trouble);
    }

    private String words(long left) {
        if (options.confirms()) {
            long all = queue.acceptedMessages();
            long sent = queue.forgottenMessages();
            return sent + (sent == all ? "" : " of " + all) + " sent, " + left
                    + " in doubt: the relay has not confirmed " + (left == 1 ? "it" : "them");
        }
        return ShortText.counted(left, "message")
                + (options.acks() ? " not acknowledged" : " not sent to " + session.endpoint());
    }
}
