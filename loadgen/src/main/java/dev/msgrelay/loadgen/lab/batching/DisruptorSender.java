package dev.msgrelay.loadgen.lab.batching;

import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Smart batching with the Disruptor: events made once, one handler. */
final class DisruptorSender implements Sender {
    private static final int EVENTS = 16 << 10;
    private static final long LOOK_NANOS = 50_000;

    private final Disruptor<FrameEvent> disruptor;
    private final NetworkBatchHandler handler;
    private volatile Throwable failure;

    /**
     * @param maxFrame the longest frame that is sent
     */
    DisruptorSender(NetworkFacade network, int maxPacketSize, int maxFrame, Wait strategy) {
        disruptor = new Disruptor<>(
                () -> new FrameEvent(maxFrame),
                EVENTS,
                DaemonThreadFactory.INSTANCE,
                ProducerType.MULTI,
                strategy.ofDisruptor());
        disruptor.setDefaultExceptionHandler(new Failing());
        handler = new NetworkBatchHandler(network, maxPacketSize);
        disruptor.handleEventsWith(handler);
        disruptor.start();
    }

    @Override
    public Outlet newOutlet() {
        RingBuffer<FrameEvent> ring = disruptor.getRingBuffer();
        return frame -> {
            checkHealthy();
            long sequence = ring.next();
            try {
                ring.get(sequence).set(frame);
            } finally {
                ring.publish(sequence);
            }
        };
    }

    private void checkHealthy() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    /** {@code Disruptor.shutdown} does not wait for a handler whose thread has not begun yet; this does. */
    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Ending.LIMIT_MILLIS);
        while (disruptor.getSequenceValueFor(handler) < disruptor.getCursor()) {
            if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
                disruptor.halt();
                throw new IOException("the Disruptor did not end within " + Ending.LIMIT_MILLIS + " ms");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        disruptor.halt();
        checkHealthy();
    }

    /** The first failure is kept for the producers; the handler goes on with the next event, so that none waits for it. */
    private final class Failing implements ExceptionHandler<FrameEvent> {
        @Override
        public void handleEventException(Throwable e, long sequence, FrameEvent event) {
            failure = e;
        }

        @Override
        public void handleOnStartException(Throwable e) {
            failure = e;
        }

        @Override
        public void handleOnShutdownException(Throwable e) {
            failure = e;
        }
    }
}
