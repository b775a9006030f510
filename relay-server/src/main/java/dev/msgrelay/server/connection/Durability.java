package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.stream.StreamHead;

/**
 * The part of the stream that outlives the relay: with a journal the messages of earlier lives of the relay, each of
 * which had an epoch of its own; without one, nothing.
 *
 * <pre>
 *   life 17   1 ------------------- 900 | 901 ... 950     what was not written when it ended
 *   life 42                         901 | 901 ------------------> today
 *                                       ^ forkOf(17) = 901: a reader of life 17 up to 950 has read 50 lost messages
 * </pre>
 *
 * Without a journal all defaults hold: a client that asks for written or forced messages is refused.
 */
public interface Durability {
    /** Answer of {@link #forkOf}: an unknown epoch, of another relay or of long ago. */
    long UNKNOWN = 0;

    /** Answer of {@link #forkOf}: the epoch is that of today. */
    long TODAY = Long.MAX_VALUE;

    /**
     * Returns the place where a life of the stream ended. Messages before it are the same under the same numbers. From
     * it on they are gone, and other messages have the numbers. Any thread.
     *
     * @return a sequence; {@link #TODAY} or {@link #UNKNOWN}
     */
    long forkOf(long epoch);

    /** Returns the place where the life of the stream ended whose epoch HELLO has. Any thread. */
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

    /** Returns the present life, which a later one follows only in a cluster. Any thread. */
    Life life();

    /** Returns whether the stream outlives the relay: there is a journal. Any thread. */
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

    /** Has the core woken when everything before a position is written. On the core's thread. */
    default void wantWritten(long position) {}

    /** Likewise when everything before a position is forced, which then is done as soon as possible. */
    default void wantForced(long position) {}

    /**
     * Sets the listener that runs, at most once a cycle of the core, when an end has moved or the journal has failed.
     */
    default void onMoved(Runnable listener) {}
}
