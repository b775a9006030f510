package dev.msgrelay.client;

/**
 * A place in a stream, where a subscriber goes on.
 *
 * <pre>{@code
 * Position here = new Position(subscriber.epoch(), subscriber.next());
 * SubscriberOptions.builder("127.0.0.1:7400").fromSequence(here.epoch(), here.next());
 * }</pre>
 *
 * @param epoch epoch of the stream that the number belongs to, never 0. The relay tells by it whether its stream has been
 *     rolled back, or is another one, since
 * @param next sequence of the first message that is not handled yet, from 1
 */
public record Position(long epoch, long next) {
    public Position {
        if (epoch == 0 || next < 1) {
            throw new IllegalArgumentException("epoch " + epoch + ", message " + next
                    + " is no place in a stream: an epoch is not 0, and messages" + " count from 1");
        }
    }
}
