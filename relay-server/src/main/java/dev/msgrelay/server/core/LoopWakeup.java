package dev.msgrelay.server.core;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import java.lang.invoke.VarHandle;

/**
 * The ring's wait strategy where its consumer is an event loop: the loop never waits on the ring, it sleeps in its
 * selector and is signalled by a publish.
 */
public final class LoopWakeup implements WaitStrategy {
    private final EngineLoop loop;

    public LoopWakeup(EngineLoop loop) {
        this.loop = loop;
    }

    @Override
    public void signalAllWhenBlocking() {
        // The publish must be visible before the flag is read, or both sides could miss each other.
        VarHandle.fullFence();
        loop.signal();
    }

    @Override
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException {
        throw new UnsupportedOperationException("the ring is polled by an event loop, nobody waits on it");
    }
}
