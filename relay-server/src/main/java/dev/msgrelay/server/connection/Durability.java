package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.stream.StreamHead;

/**
 * What the journal keeps of the stream beyond the end of the relay. Without a journal nothing is kept. A life is one
 * run of the relay, from its start to its end, and has a number of its own, the epoch.
 *
 * <pre>
 *   life 17   1 ------------------- 900 | 901 ... 950     not written when life 17 ended
 *   life 42                         901 | 901 ------------------> today
 *                                       ^ forkOf(17) = 901: a client that has read life 17 to 950 has 50 lost messages
 * </pre>
 *
 * The default methods fit a relay without a journal.
 */
public interface Durability {
    /** Result of {@link #forkOf}: the epoch belongs to another relay, or is so old that this relay has forgotten it. */
    long UNKNOWN = 0;

    /** Result of {@link #forkOf}: the epoch is the one of the present life. */
    long TODAY = Long.MAX_VALUE;

    /**
     * Returns the sequence at which an earlier life ended. Only lower numbers still mean the same messages. Returns
     * {@link #TODAY} for the present life, and {@link #UNKNOWN} for an unknown epoch. Any thread.
     */
    long forkOf(long epoch);

    /** Returns {@link #forkOf(long)} of the epoch in HELLO, or {@link #TODAY} if HELLO has no epoch. Any thread. */
    default long forkOf(HelloFrame said) {
        return said.epoch() == 0 ? TODAY : forkOf(said.epoch());
    }

    /**
     * The present life of the stream.
     *
     * @param epoch never 0
     * @param newest the newest lives, which WELCOME lists; {@link Epochs#NONE} without a journal
     */
    record Life(long epoch, Epochs newest) {}

    /** Returns the present life. Only in a cluster can a new life begin while the relay runs. Any thread. */
    Life life();

    /** Returns whether there is a journal. Any thread. */
    default boolean keepsStream() {
        return false;
    }

    /** Returns up to where the stream survives a crash of the process. Only with a journal. Any thread. */
    default StreamHead written() {
        throw new UnsupportedOperationException("no journal");
    }

    /** Returns up to where the stream survives a crash of the machine. Only with a journal. Any thread. */
    default StreamHead forced() {
        throw new UnsupportedOperationException("no journal");
    }

    /** Returns whether the journal has failed. Then {@link #written} and {@link #forced} stand still. Any thread. */
    default boolean failed() {
        return false;
    }

    /** Requests that the core is woken when all bytes before a position are written. On the core's thread. */
    default void wantWritten(long position) {}

    /** Requests a force as soon as possible, and a wake-up of the core when all bytes before a position are forced. */
    default void wantForced(long position) {}

    /** Sets the listener. The core runs it once in each cycle in which an end has moved or the journal has failed. */
    default void onMoved(Runnable listener) {}
}
