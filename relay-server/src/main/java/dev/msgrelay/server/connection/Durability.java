package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.stream.StreamHead;

/**
 * The part of the stream that outlives the relay. With a journal that is the messages of earlier lives of the relay,
 * each with its own epoch; without a journal, nothing.
 *
 * <pre>
 *   life 17   1 ------------------- 900 | 901 ... 950     what was not written when it ended
 *   life 42                         901 | 901 ------------------> today
 *                                       ^ forkOf(17) = 901: a client that has read life 17 to 950 has 50 lost messages
 * </pre>
 *
 * The defaults are those without a journal: a client that asks for written or forced messages is refused.
 */
public interface Durability {
    /** Answer of {@link #forkOf}: the epoch is another relay's, or too old to be known. */
    long UNKNOWN = 0;

    /** Answer of {@link #forkOf}: the epoch is that of the present life. */
    long TODAY = Long.MAX_VALUE;

    /**
     * Returns the sequence at which a life of the stream ended: messages before it are the same under the same numbers;
     * from it on other messages have the numbers. Or {@link #TODAY}, or {@link #UNKNOWN}. Any thread.
     */
    long forkOf(long epoch);

    /** Returns {@link #forkOf} the epoch in HELLO. Any thread. */
    default long forkOf(HelloFrame said) {
        return said.epoch() == 0 ? TODAY : forkOf(said.epoch());
    }

    /**
     * The present life of the stream.
     *
     * @param epoch never 0
     * @param newest the newest lives, as WELCOME tells them; none: nothing outlives the relay
     */
    record Life(long epoch, Epochs newest) {}

    /** Returns the present life, which can end before the relay only in a cluster. Any thread. */
    Life life();

    /** Returns whether there is a journal. Any thread. */
    default boolean keepsStream() {
        return false;
    }

    /** The end of the stream that survives the end of the process; only with a journal. Any thread. */
    default StreamHead written() {
        throw new UnsupportedOperationException("no journal");
    }

    /** The end of the stream that survives the end of the machine; only with a journal. Any thread. */
    default StreamHead forced() {
        throw new UnsupportedOperationException("no journal");
    }

    /** Returns whether the journal has failed: neither end moves any more. Any thread. */
    default boolean failed() {
        return false;
    }

    /** Requests that the core is woken when all bytes before a position are written. On the core's thread. */
    default void wantWritten(long position) {}

    /** Has the core woken when all bytes before a position are forced, which is done as soon as possible. */
    default void wantForced(long position) {}

    /**
     * Sets the listener, which runs at most once a cycle of the core when an end has moved or the journal has failed.
     */
    default void onMoved(Runnable listener) {}
}
