package dev.msgrelay.server.core;

import com.lmax.disruptor.EventHandler;

/**
 * A Disruptor event handler of runs that may also have to wait: where a subscriber holds the publishers back, runs stay
 * in the ring.
 */
public interface RunHandler extends EventHandler<Run> {
    /** Gets ready to take one more run; answers whether it can now. Otherwise publishers are held back until it can. */
    boolean makeReady();

    @Override
    void onEvent(Run run, long sequence, boolean endOfBatch);
}
