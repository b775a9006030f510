package dev.msgrelay.loadgen.lab.batching;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;

/** Through the Disruptor's ring, with its poller. */
final class RingExchange implements ExchangeContestant.Exchange {
    private final RingBuffer<long[]> ring;
    private final EventPoller<long[]> poller;
    private long next;
    private boolean right = true;

    RingExchange(int capacity) {
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
