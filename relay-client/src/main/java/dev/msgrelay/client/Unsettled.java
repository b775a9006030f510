package dev.msgrelay.client;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** What a publisher says about messages that are not settled, and about its failures. Any thread. */
final class Unsettled {
    private final PublisherOptions options;
    private final SendQueue queue;
    private final PublisherSession session;
    private final AtomicReference<Optional<IOException>> told = new AtomicReference<>(Optional.empty());

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
        if (failure instanceof PublishException) {
            return new PublishException(why, left, failure.getCause());
        }
        return new PublishException(left == 0 ? why : words(left) + ": " + why, left, failure);
    }

    /** A flush has to tell of so many messages. */
    PublishException unflushed(long left) {
        return withTrouble(words(left) + (options.confirms() ? "" : " in time"), left);
    }

    /** The publisher is closed with so many messages left; {@code why}: empty, or a reason. */
    PublishException closed(long left, String why) {
        return withTrouble("closed with " + words(left) + why, left);
    }

    /** The program ends with so many messages left, and has not closed the publisher. */
    String atExit(long left) {
        return "the program ends, and has not closed its publisher: "
                + withTrouble(words(left), left).getMessage();
    }

    /** Without the cause that was told last: a stack trace that has one twice names a circular reference. */
    private PublishException withTrouble(String what, long left) {
        Optional<IOException> trouble = session.trouble();
        boolean isNew = !trouble.equals(told.getAndSet(trouble));
        return new PublishException(
                what + trouble.map(e -> ": " + e.getMessage()).orElse(""), left, isNew ? trouble.orElse(null) : null);
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
