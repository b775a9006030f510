package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.journal.format.EpochTable;
import java.nio.ByteBuffer;

/**
 * Decides the order of the messages of several relays, a cluster. Without a cluster {@link NetworkBatchHandler} packs
 * runs at once.
 *
 * <pre>
 *   alone     producers --run--> NetworkBatchHandler --> log
 *   several   producers --run--> Orderer ~~ other relays ~~> drain --run--> NetworkBatchHandler --> log
 * </pre>
 *
 * <p>On the core's thread unless a method says otherwise. No method waits.
 */
public interface Orderer extends FrameRing.Handler, AutoCloseable {
    interface Claimant {
        /**
         * Called with the answer to {@link #claim}.
         *
         * @param refusal the reason of a refusal; null: the connection has the name
         * @param text of the refusal; otherwise empty
         * @param accepted number of the name's last message in the stream; {@link #NONE}: there is none
         * @param sequence of that message
         */
        void claimed(CloseReason refusal, String text, long accepted, long sequence);
    }

    interface Numbered {
        /** Called when the messages up to this number are in the stream, the last one with this sequence. */
        void ordered(long number, long sequence);
    }

    /** The stream into which the ordered runs go. */
    interface Stream {
        boolean hasRoom();

        /**
         * Begins another life of the stream, with an epoch of its own, and ends the connections that were told of the
         * life before. The orderer calls this again and again until they have ended.
         *
         * @return whether they have ended, and the next run may come
         */
        boolean begins(EpochTable.Epoch life);

        void append(ByteBuffer buffer, int offset, int length);

        /** Reads the end of the stream, which may be after the head. */
        void readEnd(Mark into);

        /** Called when a name has a newer connection at another relay. */
        void takenElsewhere(String name);

        /**
         * Returns the position up to which the stream is forced to this relay's disk; without a journal all of it. Any
         * thread.
         */
        long forced();

        /** Requests that the stream is soon forced to the disk up to a position. Any thread. */
        void force(long position);

        /** Wakes the core. Any thread, after its change has become visible. */
        void wake();

        /** Ends the relay, which may relay nothing any more. Any thread. */
        void failed(Throwable cause);
    }

    long NONE = -1;

    /**
     * Returns the lives (epochs) of the stream, at least one; all relays have the same. Runs are handed over from the
     * table's forced position on. A relay with more of the stream on its disk continues after the end there.
     */
    EpochTable lives();

    /** Sets the stream into which runs go. Called once, before the methods below. */
    void setStream(Stream stream);

    /**
     * Takes the whole frames of a span whose messages have numbers.
     *
     * @param first number of the first message
     * @return false if there is no room for the frames now
     */
    boolean submit(RunScan span, String name, ProducerId producer, long first, Numbered whose);

    /** Takes whole frames of a publisher whose messages have no numbers. */
    boolean submit(RunScan span);

    /**
     * Asks for a publisher's name. The connection that has the name may be at another relay.
     *
     * @param owner the identity of the connection; empty: there are no identities
     * @return false: there is no room for the question now; otherwise the claimant gets one answer
     */
    boolean claim(String name, ProducerId producer, String owner, Claimant who);

    void releaseName(String name, ProducerId producer);

    /** Returns whether there is room for all publishers that were held back. */
    boolean hasPlentyOfRoom();

    /** Returns whether ordered runs wait to be handed over. */
    boolean hasOrdered();

    /** Hands over some runs that are in order; returns whether more can be handed over right away. */
    boolean drain();

    /** Returns whether no run is under way. Any thread. */
    boolean isEmpty();

    /** Returns the state of this relay in the cluster. Any thread. */
    ClusterStatus status();

    /** Leaves the cluster. Any thread, once the core has ended. */
    @Override
    void close();
}
