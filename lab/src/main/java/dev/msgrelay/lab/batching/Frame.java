package dev.msgrelay.lab.batching;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.loadgen.message.SequenceCheck;
import dev.msgrelay.loadgen.message.SizeTable;
import java.nio.ByteBuffer;

/** The message that a producer thread fills in and sends, over and over; that thread owns it. */
final class Frame {
    private final int producer;
    private final FrameBatch one;

    Frame(int producer, int body) {
        this.producer = producer;
        this.one = FrameBatch.ofMessages(SizeTable.fixed(body), 1);
    }

    ByteBuffer of(long number, long timeNanos) {
        one.add(LoadMessage.stamp(producer, number), timeNanos);
        return one.take();
    }

    /** Throws unless each producer's messages came once, whole, and in the order in which they were sent. */
    static void verify(MessageCheck check, long... sent) throws WrongResultException {
        SequenceCheck sequence = check.sequence();
        long all = 0;
        for (int i = 0; i < sent.length; i++) {
            all += sent[i];
            sequence.onEnd(i, sent[i]);
        }
        long wrong = sequence.lost() + sequence.duplicated() + sequence.reordered() + sequence.unknown();
        if (sequence.accepted() != all || wrong + check.corrupted() > 0) {
            throw new WrongResultException(all + " messages were sent, " + sequence.accepted() + " came: "
                    + sequence.lost() + " lost, " + sequence.duplicated() + " twice, " + sequence.reordered()
                    + " out of order, " + check.corrupted() + " damaged");
        }
    }
}
