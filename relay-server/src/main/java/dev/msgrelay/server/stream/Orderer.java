package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.journal.format.EpochTable;
import java.nio.ByteBuffer;

/**
 * Decides the order of several relays that are one. A relay that is alone has none: its {@link NetworkBatchHandler}
 * packs runs at once.
 *
 * <pre>
 *   alone     producers --run--> NetworkBatchHandler --> log
 *   several   producers --run--> Orderer ~~ other relays ~~> drain --run--> NetworkBatchHandler --> log
 * </pre>
 *
 * <p>On the core's thread unless a method says otherwise. No method waits.
 */
public interface Orderer extends FrameRing.Handler, AutoCloseable {
    /** A connection that asks for a name. */
    interface Claimant {
        /**
         * Gets the answer.
         *
         * @param refusal the reason of a refusal; null: the connection has the name
         * @param text of the refusal; otherwise empty
         * @param accepted number of the name's last message in the stream; {@link #NONE}: there is none
         * @param sequence of that message
         */
        void claimed(CloseReason refusal, String text, long accepted, long sequence);
    }

    /** A publisher whose messages have numbers. */
    interface Numbered {
        /** Hears that its messages up to this number are in the stream, the last one with this sequence. */
        void ordered(long number, long sequence);
    }

    /** The stream that the order comes out to. */
    interface Stream {
        /** Whether there is room for one more run. */
        boolean hasRoom();

        /**
         * The stream goes on in another life: connections that were told of the one before end. The orderer asks until
         * they have ended.
         *
         * @return whether they have ended, and the next run may come
         */
        boolean begins(EpochTable.Epoch life);

        /** Appends the next run. */
        void append(ByteBuffer buffer, int offset, int length);

        /** Reads the end of the stream, behind runs that readers do not see yet. */
        void readEnd(Mark into);

        /** Hears that a name has a newer connection at another relay. */
        void takenElsewhere(String name);

        /**
         * The position up to which the stream is forced to this relay's disk; without a journal all of it. Any thread.
         */
        long forced();

        /** Has the stream forced up to a position soon. Any thread. */
        void force(long position);

        /** Wakes the core, which then sees all that was written before. Any thread. */
        void wake();

        /** Ends the order: nothing may be relayed any more. Any thread. */
        void failed(Throwable cause);
    }

    /** No number. */
    long NONE = -1;

    /**
     * The lives of the stream, the same on all relays: at least one. The table's forced place is that from which runs
     * are handed over; a relay with more of the stream on its disk goes on behind that.
     */
    EpochTable lives();

    /** Sets the stream that runs are handed over to, from its end on. Called once, before all methods below. */
    void setStream(Stream stream);

    /**
     * Takes the whole frames of a span whose messages have numbers.
     *
     * @param first number of the first message
     * @return false: there is no room for them now
     */
    boolean submit(RunScan span, String name, ProducerId producer, long first, Numbered whose);

    /** As above, without numbers. */
    boolean submit(RunScan span);

    /**
     * Asks for a name, whose connection may be at another relay.
     *
     * @param owner the identity of the connection; empty: there are no identities
     * @return false: there is no room for the question now; otherwise the claimant gets one answer
     */
    boolean claim(String name, ProducerId producer, String owner, Claimant who);

    /** Gives back a name whose connection has gone. */
    void releaseName(String name, ProducerId producer);

    /** Returns whether there is room for all publishers that were held back. */
    boolean hasPlentyOfRoom();

    /** Returns whether runs in order wait to be handed over. */
    boolean hasOrdered();

    /** Hands over some runs that are in order; returns whether more can be handed over right away. */
    boolean drain();

    /** Returns whether nothing is under way. Any thread. */
    boolean isEmpty();

    /** The state of this relay among the others. Any thread. */
    ClusterStatus status();

    /** Leaves the order. Any thread, once the core has ended. */
    @Override
    void close();
}
