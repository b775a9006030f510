package dev.msgrelay.lab.batching;

import dev.msgrelay.lab.Threads;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.loadgen.message.SequenceCheck;
import dev.msgrelay.loadgen.message.SizeTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Threads that send messages. The controlling thread owns it. */
final class Producers implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private final long[] sent;
    private volatile IOException failure;

    /** The message that a producer thread fills in and sends repeatedly. That thread owns it. */
    static final class Frame {
        private final int producer;
        private final FrameBatch one;

        Frame(int producer, int body) {
            this.producer = producer;
            this.one = FrameBatch.ofMessages(SizeTable.fixed(body), 1);
        }

        ByteBuffer of(long number, long timeNanos) {
            one.add(LoadMessage.stamp(producer, number), timeNanos);
            return one.drain();
        }
    }

    @FunctionalInterface
    interface Work {
        long run(int id, Frame frame, Sender.Outlet outlet) throws IOException, InterruptedException;
    }

    Producers(int producers, Sender sender, Work work) {
        sent = new long[producers];
        for (int i = 0; i < producers; i++) {
            int id = i;
            Frame frame = new Frame(id, Sender.BODY);
            Sender.Outlet outlet = sender.newOutlet();
            threads.add(Threads.daemon("producer-" + id, () -> run(id, frame, outlet, work)));
        }
        threads.forEach(Thread::start);
    }

    private void run(int id, Frame frame, Sender.Outlet outlet, Work work) {
        try {
            sent[id] = work.run(id, frame, outlet);
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void checkHealthy() throws IOException {
        Threads.check(failure);
    }

    /**
     * Waits for the end of all threads, and returns the number of messages of each.
     *
     * @throws IOException one of the threads failed
     */
    long[] awaitEnd(Duration work) throws IOException {
        joinAll(work.toMillis());
        checkHealthy();
        return sent.clone();
    }

    @Override
    public void close() throws IOException {
        threads.forEach(Thread::interrupt);
        joinAll(0);
    }

    private void joinAll(long moreMillis) throws IOException {
        for (Thread thread : threads) {
            Threads.join(thread, moreMillis + Threads.LIMIT_MILLIS);
        }
    }

    /** Checks that each producer's messages arrived once, unchanged and in order. */
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
