package dev.msgrelay.server.stream;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A producer puts a message while the ring's consumer is about to sleep, as {@code EngineLoop} and {@code
 * NetworkBatchHandler} do: flag up, look at the ring and the stage, sleep; until it is woken where all is free, a
 * millisecond at most where it is not.
 */
@JCStressTest
@Outcome(id = "1, [01]", expect = Expect.ACCEPTABLE, desc = "found the message, does not sleep")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "sleeps, and is woken")
@Outcome(id = "2, [01]", expect = Expect.ACCEPTABLE, desc = "sleeps for a millisecond, the producer is at its stage")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "sleeps until it is woken, and nobody wakes it")
@State
public class StageWakeupStress {
    private static final int CELLS = 4;
    private static final int LENGTH = 16;
    private static final int MAX_RUN = 64;

    private static final int ASLEEP = 0;
    private static final int FOUND = 1;
    private static final int DOZES = 2;

    private static final ByteBuffer BODY = ByteBuffer.allocate(LENGTH);

    private final AtomicBoolean parked = new AtomicBoolean();
    private final FrameRing ring =
            new FrameRing(CELLS, MAX_RUN, Unpooled.buffer(FrameRing.slabBytes(CELLS, MAX_RUN)), this::wake);
    private final RunStage stage = new RunStage(ring, LENGTH, parked::get, ByteBuffer.allocate(RunStage.CAPACITY));
    private boolean woken;

    @Actor
    public void producer() {
        stage.put(1, BODY, LENGTH);
    }

    @Actor
    public void consumer(II_Result result) {
        parked.set(true);
        if (ring.hasNext() || stage.ready()) {
            parked.set(false);
            result.r1 = FOUND;
        } else {
            result.r1 = stage.waiting() ? DOZES : ASLEEP;
        }
    }

    @Arbiter
    public void end(II_Result result) {
        result.r2 = woken ? 1 : 0;
    }

    /** As {@code EngineLoop.signal}. */
    private void wake() {
        if (parked.getPlain() && parked.compareAndSet(true, false)) {
            woken = true;
        }
    }
}
