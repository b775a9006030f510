package dev.msgrelay.server.core;

import com.lmax.disruptor.EventHandler;

/**
 * Where runs go on their way into the order: a Disruptor event handler of runs that may also have to wait. Where a
 * subscriber holds the publishers back, runs stay in the ring.
 *
 * <p>This is where a relay that is alone and one of several part: {@link NetworkBatchHandler} makes the order here, an
 * {@link Orderer} makes it with others.
 */
public interface RunHandler extends EventHandler<Run> {
    /** Gets ready to take one more run; answers whether it can now. Otherwise publishers are held back until it can. */
    boolean makeReady();

    @Override
    void onEvent(Run run, long sequence, boolean endOfBatch);
}
