package dev.msgrelay.server.core;

import com.lmax.disruptor.EventHandler;

/**
 * A Disruptor event handler of runs that may also have to wait: where a subscriber holds the publishers back, runs stay
 * in the ring.
 */
public interface RunHandler extends EventHandler<Run> {
    /** Whether one more run can be taken now. */
    boolean canTake();

    @Override
    void onEvent(Run run, long sequence, boolean endOfBatch);
}
