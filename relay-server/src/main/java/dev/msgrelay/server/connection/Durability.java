package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.stream.StreamHead;

/**
 * The part of the stream that outlives the relay, as far as its clients are concerned: with a journal the messages of earlier lives of
 * the relay, each of which had an epoch of its own; without one, nothing.
 *
 * <pre>
 *   life 17   1 ------------------- 900 | 901 ... 950     what was not written when it ended
 *   life 42                         901 | 901 ------------------> today
 *                                       ^ forkOf(17) = 901: who has read life 17 up to 950 has read 50 messages that are gone
 * </pre>
 *
 * Without a journal all defaults hold: a client that asks for written or forced messages is refused.
 */
public interface Durability {
    /** Answer of {@link #forkOf}: an epoch that nobody remembers, of another relay or of long ago. */
    long UNKNOWN = 0;

    /** Answer of {@link #forkOf}: the epoch is that of today. */
    long TODAY = Long.MAX_VALUE;

    /**
     * The place where a life of the stream ended. Messages before that number are the same under the same numbers. From it on they are
     * gone, and others have the numbers. Any thread.
     *
     * @return a sequence; {@link #TODAY} or {@link #UNKNOWN}
     */
    long forkOf(long epoch);

    /** Returns the place where the life of the stream ended that the client speaks of. Any thread. */
    default long forkOf(HelloFrame said) {
        return said.epoch() == 0 ? TODAY : forkOf(said.epoch());
    }

    /**
     * The life of the stream that is lived now.
     *
     * @param epoch never 0
     * @param newest the newest lives, as WELCOME tells them; none: nothing outlives the relay
     */
    record Life(long epoch, Epochs newest) {}

    /** Returns the present life, which a later one follows only where several relays are one. Any thread. */
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

    /** The journal has failed: neither head moves any more. Any thread. */
    default boolean failed() {
        return false;
    }

    /** Somebody waits until everything before a position is written: the core is woken when more is. On its thread. */
    default void wantWritten(long position) {}

    /** Somebody waits until everything before a position is forced: likewise, and it is forced as soon as it can be. */
    default void wantForced(long position) {}

    /** Names whom the core tells, at most once a cycle, that a head has moved or the journal has failed. */
    default void onMoved(Runnable listener) {}
}
