package dev.msgrelay.server.fanout;

import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.session.Closing;
import dev.msgrelay.server.session.Outbox;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The last words to a subscriber whose end has been counted: the rest of the frame that is being sent, GOAWAY where that is due,
 * then ERROR. A slow reader takes a while to get there; a socket that takes nothing cannot be told, so there is a limit.
 *
 * <p>Owned by the subscriber's thread.
 */
final class Farewell {
    // Null: nothing is to be said.
    private Refusal why;
    private Future<?> limit;

    /** Begins; the channel is closed after {@code most}, whatever has been said by then. */
    void begin(Refusal reason, Channel channel, long most) {
        why = reason;
        limit = channel.eventLoop().schedule(() -> channel.close(), most, TimeUnit.NANOSECONDS);
    }

    boolean isDue() {
        return why != null;
    }

    /**
     * Says the next of the last words; only while no write is in flight.
     *
     * @param outbox null: the subscriber has not said HELLO
     * @param release gives back what the connection has, just before ERROR
     * @return whether the socket has taken it and another one is due
     */
    boolean say(Channel channel, Delivery delivery, Outbox outbox, Runnable release) {
        if (!delivery.reader.atBoundary()) {
            return delivery.finish();
        }
        // The relay may close in the very moment in which it begins to drain: GOAWAY is said all the same.
        ByteBuffer goAway = outbox == null ? null : outbox.takeGoAway();
        if (goAway != null) {
            return delivery.say(goAway, false);
        }
        Refusal last = why;
        release.run();
        Closing.say(channel, last);
        return false;
    }

    /** Nothing is said any more. More than once without harm. */
    void end() {
        why = null;
        if (limit != null) {
            limit.cancel(false);
        }
    }
}
