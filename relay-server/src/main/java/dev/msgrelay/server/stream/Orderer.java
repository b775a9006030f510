package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.journal.format.EpochTable;
import java.nio.ByteBuffer;

/**
 * Decides the order of the messages of several relays, which form a cluster. Without a cluster {@link
 * NetworkBatchHandler} packs runs at once.
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
         * @param refusal the reason of a refusal; null if the connection has the name
         * @param text the text of a refusal; otherwise empty
         * @param accepted number of the name's last message in the stream; {@link #NONE} if there is none
         * @param sequence the sequence of that message
         */
        void claimed(CloseReason refusal, String text, long accepted, long sequence);
    }

    interface Numbered {
        /** Called when the messages up to {@code number} are in the stream. The last one has {@code sequence}. */
        void ordered(long number, long sequence);
    }

    /** The stream into which the ordered runs go. */
    interface Stream {
        boolean hasRoom();

        /**
         * Begins another life of the stream, with an epoch of its own, and ends the connections whose clients know only
         * the previous life. The orderer repeats the call until these connections have ended.
         *
         * @return whether these connections have ended, so that the next run may come
         */
        boolean begins(EpochTable.Epoch life);

        void append(ByteBuffer buffer, int offset, int length);

        /** Copies the end of the stream into {@code into}. The end may be after the head. */
        void readEnd(Mark into);

        /** Called when a name has a newer connection at another relay. */
        void takenElsewhere(String name);

        /**
         * Returns the position up to which the stream is forced to this relay's disk. Without a journal, all of the
         * stream counts as forced. Any thread.
         */
        long forced();

        /** Requests that the stream is soon forced to the disk up to a position. Any thread. */
        void force(long position);

        /** Lets the journal drop what it keeps for the state's snapshot alone, if it lacks room. Any thread. */
        void makeRoom();

        /** Wakes the core. Called on any thread, after the caller's change has become visible. */
        void wake();

        /** Ends the relay, because after this fault it must relay nothing more. Any thread. */
        void failed(Throwable cause);
    }

    long NONE = -1;

    /**
     * Returns the lives (epochs) of the stream, at least one, which are the same for all relays. Runs are handed over
     * from the table's forced position on. A relay whose disk has more of the stream continues at that part's end.
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
     * @param owner the identity of the connection; empty if the relay knows no identities
     * @return false if there is no room for the question now; if true, the claimant gets one answer
     */
    boolean claim(String name, ProducerId producer, String owner, Claimant who);

    void releaseName(String name, ProducerId producer);

    /** Returns whether there is room for all publishers that were held back. */
    boolean hasPlentyOfRoom();

    /** Returns whether ordered runs wait to be handed over. */
    boolean hasOrdered();

    /** Hands over some ordered runs; returns whether more can be handed over right away. */
    boolean drain();

    /** Returns whether no run waits to be ordered or to be handed over. Any thread. */
    boolean isEmpty();

    /** Returns the state of this relay in the cluster. Any thread. */
    ClusterStatus status();

    /** Leaves the cluster. Any thread, once the core has ended. */
    @Override
    void close();
}
