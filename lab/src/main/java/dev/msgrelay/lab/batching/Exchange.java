package dev.msgrelay.lab.batching;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.util.Queue;

/** A structure between one producer and one consumer: what it costs to hand messages over, without any device. */
interface Exchange {
    Column COST = Column.lower("a message", "ns");

    /** By the producing thread: hands over a number, waits where there is no room. */
    void put(long value);

    /**
     * By the consuming thread: takes so many numbers.
     *
     * @return whether they were 0, 1, 2 ... in this order
     */
    boolean takeAll(int count);

    /** Hands over so many from a thread of its own to this one. */
    default Measurement measure(int messages) throws IOException, WrongResultException {
        Thread producer = Producers.daemon("producer", () -> {
            for (int i = 0; i < messages; i++) {
                put(i);
            }
        });
        long start = System.nanoTime();
        producer.start();
        boolean right = takeAll(messages);
        long nanos = System.nanoTime() - start;
        Producers.join(producer);
        if (!right) {
            throw new WrongResultException("numbers came out of order");
        }
        return Measurement.of(COST, (double) nanos / messages);
    }

    /** Through any queue; whoever finds it empty or full gives way. */
    record ThroughQueue(Queue<Long> queue) implements Exchange {
        @Override
        public void put(long value) {
            Long boxed = value;
            while (!queue.offer(boxed)) {
                Thread.yield();
            }
        }

        @Override
        public boolean takeAll(int count) {
            boolean right = true;
            for (int i = 0; i < count; i++) {
                Long value;
                while (null == (value = queue.poll())) {
                    Thread.yield();
                }
                right &= value == i;
            }
            return right;
        }
    }

    /** Through the Disruptor's ring, with its poller. */
    final class ThroughRing implements Exchange {
        private final RingBuffer<long[]> ring;
        private final EventPoller<long[]> poller;
        private long next;
        private boolean right = true;

        ThroughRing(int capacity) {
            ring = RingBuffer.createMultiProducer(() -> new long[1], capacity, new YieldingWaitStrategy());
            poller = ring.newPoller();
            ring.addGatingSequences(poller.getSequence());
        }

        @Override
        public void put(long value) {
            long sequence = ring.next();
            ring.get(sequence)[0] = value;
            ring.publish(sequence);
        }

        @Override
        public boolean takeAll(int count) {
            try {
                while (next < count) {
                    if (poller.poll(this::onEvent) != EventPoller.PollState.PROCESSING) {
                        Thread.yield();
                    }
                }
            } catch (Exception e) {
                throw new IllegalStateException("the handler throws nothing", e);
            }
            return right;
        }

        private boolean onEvent(long[] event, long sequence, boolean endOfBatch) {
            right &= event[0] == next;
            next++;
            return true;
        }
    }
}
