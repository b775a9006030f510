package dev.msgrelay.lab.batching;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.SequenceCheck;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/** The message that a producer thread fills in and sends, over and over; that thread owns it. */
final class Frame {
    private final int producer;
    private final FrameBatch one;

    Frame(int producer, int body) {
        this.producer = producer;
        this.one = FrameBatch.ofMessages(SizeTable.fixed(body), 1);
    }

    /** The whole frame. */
    ByteBuffer of(long number, long timeNanos) {
        one.add(LoadMessage.stamp(producer, number), timeNanos);
        return one.take();
    }

    /**
     * Checks that every message arrives once, whole, and in the order in which its producer sent it. The receiving thread
     * owns it; others may look once that has ended.
     */
    static final class Check {
        private final SequenceCheck sequence;
        private final ByteBuffer padding;
        private final int body;
        private long broken;

        Check(int producers, int body) {
            this.body = body;
            this.sequence = new SequenceCheck(producers);
            int from = FrameLayout.HEADER_LENGTH + LoadMessage.MIN_BODY;
            this.padding = new Frame(0, body).of(0, 0).position(from).slice();
        }

        /** One message; true if it is whole. */
        boolean onMessage(int type, ByteBuffer message) {
            int at = message.position();
            if (type != LoadMessage.TYPE || message.remaining() != body || !paddingIsWhole(message, at)) {
                broken++;
                return false;
            }
            sequence.onMessage(LoadMessage.stampAt(message, at));
            return true;
        }

        private boolean paddingIsWhole(ByteBuffer message, int at) {
            message.position(at + LoadMessage.MIN_BODY);
            boolean whole = message.equals(padding);
            message.position(at);
            return whole;
        }

        /**
         * At the end.
         *
         * @param sent messages of each producer
         * @throws WrongResultException telling what is wrong
         */
        void verify(long... sent) throws WrongResultException {
            long all = 0;
            for (int i = 0; i < sent.length; i++) {
                all += sent[i];
                sequence.onEnd(i, sent[i]);
            }
            long wrong = sequence.lost() + sequence.duplicated() + sequence.reordered() + sequence.unknown() + broken;
            if (sequence.accepted() != all || wrong > 0) {
                throw new WrongResultException(all + " messages were sent, " + sequence.accepted() + " came: "
                        + sequence.lost() + " lost, " + sequence.duplicated() + " twice, " + sequence.reordered()
                        + " out of order, " + broken + " damaged");
            }
        }
    }
}
