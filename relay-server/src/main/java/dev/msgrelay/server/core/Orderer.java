package dev.msgrelay.server.core;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.log.Mark;
import java.nio.ByteBuffer;

/**
 * Who decides the order where several relays are one. Where a relay is alone there is none: its own {@link
 * NetworkBatchHandler} is what runs are handed to, and they are in the order as soon as they are taken.
 *
 * <pre>
 *   alone     producers --run--> NetworkBatchHandler --> log
 *   several   producers --run--> Orderer ~~ the others ~~> drain --run--> NetworkBatchHandler --> log
 * </pre>
 *
 * <p>On the core's thread, but for what says otherwise. Nothing here waits.
 */
public interface Orderer extends RunHandler, AutoCloseable {
    /** A connection that asks for a name. */
    interface Claimant {
        /**
         * What became of it.
         *
         * @param refusal why it does not get the name; null: it has it
         * @param text of the refusal; otherwise empty
         * @param accepted number of the name's last message in the stream; {@link #NONE}: there is none
         * @param sequence of that message
         */
        void claimed(CloseReason refusal, String text, long accepted, long sequence);
    }

    /** Whose messages have numbers. */
    interface Numbered {
        /** Its messages up to this number are in the stream, the last one with this sequence. */
        void ordered(long number, long sequence);
    }

    /** Where the order comes out. */
    interface Stream {
        /** Gets ready for one more run; answers whether there is room for it. */
        boolean makeReady();

        /** The next run of the stream. */
        void append(ByteBuffer buffer, int offset, int length);

        /** Where the stream has got to, with what was appended and is not shown to readers yet. */
        void end(Mark into);

        /** The name has a connection elsewhere from now on: one that has it here is the older one. */
        void takenElsewhere(String name);

        /** The position up to which the stream is forced to this relay's disk; all of it, where it keeps none. Any thread. */
        long forced();

        /** Has the stream forced up to a position soon. Any thread. */
        void force(long position);

        /** Wakes the core. Any thread, after what it shall see has been made visible. */
        void wake();

        /** The order is over: nothing may be relayed any more. Any thread. */
        void failed(Throwable cause);
    }

    /** No number. */
    long NONE = -1;

    /** Of the stream, on all relays; never 0. Known before anything else is asked. */
    long epoch();

    /** Where what it hands over begins: a relay that has more of the stream on its disk goes on behind that. */
    void beginning(Mark into);

    /** Hands over what is in order from now on, from where the stream ends here. Once, before all else but the above. */
    void feed(Stream stream);

    /**
     * Takes the whole frames of a span whose messages have numbers.
     *
     * @param first number of its first message
     * @return false where there is no room for them now
     */
    boolean take(RunScan span, String name, ProducerId producer, long first, Numbered whose);

    /** As above, without numbers. */
    boolean take(RunScan span);

    /**
     * Asks for a name, whose connection may be at another relay.
     *
     * @param owner the identity of the connection; empty: nobody is asked who he is
     * @return false where there is no room for the question now; otherwise the claimant is answered, once
     */
    boolean claim(String name, ProducerId producer, String owner, Claimant who);

    /** The connection that had the name has gone. */
    void leave(String name, ProducerId producer);

    /**
     * Hands over some of what is in order.
     *
     * @return whether there is more that can be taken right away
     */
    boolean drain();

    /** Whether something is in order that was not handed over. */
    boolean hasOrdered();

    /** Whether there is so much room that whoever was held back may go on. */
    boolean hasPlentyOfRoom();

    /** Whether nothing is under way. Any thread. */
    boolean isEmpty();

    /** How this relay stands among the others. Any thread. */
    ClusterStatus status();

    /** Takes no part in the order any more. Any thread, once the core has ended. */
    @Override
    void close();
}
