package dev.msgrelay.client;

import dev.msgrelay.protocol.Epochs;

/**
 * A place in a stream, where a subscriber goes on.
 *
 * <pre>{@code
 * Position here = new Position(subscriber.epoch(), subscriber.next());
 * SubscriberOptions.builder("127.0.0.1:7400").fromSequence(here.epoch(), here.next());
 * }</pre>
 *
 * @param epoch epoch of the stream that the number belongs to, never 0. The relay tells by it whether its stream has
 *     been rolled back, or is another one, since
 * @param next sequence of the first message that is not handled yet, from 1
 * @param epochs the newest lives of the stream, the one of {@code epoch} first. By them a relay that does not know the
 *     epoch, such as behind an older backup, is asked with an older one. {@link Epochs#NONE}: its stream is another one
 *     then
 */
public record Position(long epoch, long next, Epochs epochs) {
    /** A place without the lives of its stream. */
    public Position(long epoch, long next) {
        this(epoch, next, Epochs.NONE);
    }

    public Position {
        if (epoch == 0 || next < 1) {
            throw new IllegalArgumentException("epoch " + epoch + ", message " + next
                    + " is no place in a stream: an epoch is not 0, and messages" + " count from 1");
        }
    }
}
