package dev.msgrelay.loadgen.lab.batching;

import java.util.Queue;

/** Through any queue; whoever finds it empty or full gives way. */
record QueueExchange(Queue<Long> queue) implements ExchangeContestant.Exchange {
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
