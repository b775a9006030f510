package dev.msgrelay.loadgen.lab.batching;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;

/** How a batching thread waits for work. The relay's loop always sleeps in the kernel, whatever is chosen here. */
public enum Wait {
    /** Sleeps, and whoever brings something wakes it: costs a system call on both sides. */
    BLOCK,
    /** Looks again and again, and gives way to others in between: a core is always busy. */
    YIELD;

    /** The Disruptor's own. */
    WaitStrategy ofDisruptor() {
        return this == BLOCK ? new BlockingWaitStrategy() : new YieldingWaitStrategy();
    }
}
