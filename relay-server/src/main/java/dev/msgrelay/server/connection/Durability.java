package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.stream.StreamHead;

/**
 * The part of the stream that outlives the relay: with a journal the messages of earlier lives, without one nothing. A
 * life is one run of the relay, from its start to its end, and has a number of its own, the epoch.
 *
 * <pre>
 *   life 17   1 ------------------- 900 | 901 ... 950     not written when life 17 ended
 *   life 42                         901 | 901 ------------------> today
 *                                       ^ forkOf(17) = 901: a client that has read life 17 to 950 has 50 lost messages
 * </pre>
 *
 * The default methods are those of a relay without a journal.
 */
public interface Durability {
    /** Answer of {@link #forkOf}: the epoch is another relay's, or too old to be known. */
    long UNKNOWN = 0;

    /** Answer of {@link #forkOf}: the epoch is that of the present life. */
    long TODAY = Long.MAX_VALUE;

    /**
     * Returns the sequence at which an earlier life of the stream ended. Messages before it have kept their numbers;
     * from it on the numbers belong to other messages. Or {@link #TODAY}, or {@link #UNKNOWN}. Any thread.
     */
    long forkOf(long epoch);

    /** Like {@link #forkOf(long)}, for the epoch in HELLO. Any thread. */
    default long forkOf(HelloFrame said) {
        return said.epoch() == 0 ? TODAY : forkOf(said.epoch());
    }

    /**
     * The present life of the stream.
     *
     * @param epoch never 0
     * @param newest the newest lives, for WELCOME; none: there is no journal
     */
    record Life(long epoch, Epochs newest) {}

    /** Returns the present life. Only in a cluster can another one begin while the relay runs. Any thread. */
    Life life();

    /** Returns whether there is a journal. Any thread. */
    default boolean keepsStream() {
        return false;
    }

    /** The end of the part of the stream that survives a crash of the process. Only with a journal. Any thread. */
    default StreamHead written() {
        throw new UnsupportedOperationException("no journal");
    }

    /** The end of the part of the stream that survives a crash of the machine. Only with a journal. Any thread. */
    default StreamHead forced() {
        throw new UnsupportedOperationException("no journal");
    }

    /** Returns whether the journal has failed: neither end moves any more. Any thread. */
    default boolean failed() {
        return false;
    }

    /** Requests that the core is woken when all bytes before a position are written. On the core's thread. */
    default void wantWritten(long position) {}

    /** Requests a force as soon as possible, and a wake-up of the core when all bytes before a position are forced. */
    default void wantForced(long position) {}

    /** Sets the listener, which runs once in a cycle of the core in which an end has moved or the journal failed. */
    default void onMoved(Runnable listener) {}
}
