package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.journal.format.EpochTable;
import java.nio.ByteBuffer;

/**
 * Decides the order of several relays that are one. A relay that is alone has none: runs go to its {@link
 * NetworkBatchHandler}, and are in the order at once.
 *
 * <pre>
 *   alone     producers --run--> NetworkBatchHandler --> log
 *   several   producers --run--> Orderer ~~ the others ~~> drain --run--> NetworkBatchHandler --> log
 * </pre>
 *
 * <p>On the core's thread unless a method says otherwise. Nothing here waits.
 */
public interface Orderer extends FrameRing.Handler, NetworkBatchHandler.OrderedRuns, AutoCloseable {
    /** A connection that asks for a name. */
    interface Claimant {
        /**
         * Gets the answer.
         *
         * @param refusal null: the connection has the name
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
        /** Gets ready for one more run; returns whether there is room for it. */
        boolean hasRoom();

        /**
         * The stream goes on in another life; connections that were told of the one before end. Asked until it is so.
         *
         * @return whether they have ended, and the next run may come
         */
        boolean begins(EpochTable.Epoch life);

        /** Appends the next run. */
        void append(ByteBuffer buffer, int offset, int length);

        /** Reads the end of the stream, behind runs that readers do not see yet as well. */
        void readEnd(Mark into);

        /** Hears that a name has a newer connection at another relay. */
        void takenElsewhere(String name);

        /** The position up to which the stream is forced to this relay's disk; without a journal all of it. Any thread. */
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
     * The lives of the stream, the same on all relays: at least one, up to the place from which runs are handed over, which is what
     * the table has as forced. A relay that has more of the stream on its disk goes on there.
     */
    EpochTable lives();

    /** Takes the stream to hand runs over to, from its end on. Called once, before all methods below. */
    void setStream(Stream stream);

    /**
     * Takes the whole frames of a span whose messages have numbers.
     *
     * @param first number of its first message
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

    /** Takes note that the connection that had the name has gone. */
    void releaseName(String name, ProducerId producer);

    @Override
    boolean hasRoom();

    /** The state of this relay among the others. Any thread. */
    ClusterStatus status();

    /** Leaves the order. Any thread, once the core has ended. */
    @Override
    void close();
}
