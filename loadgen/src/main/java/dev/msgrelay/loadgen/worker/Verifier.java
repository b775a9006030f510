package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.ArrivalLog;
import dev.msgrelay.loadgen.load.BodyCheck;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SequenceCheck;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameConsumer;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Checks every message that a subscriber gets and records the latency of one in {@code sampling}, and its arrival. The
 * subscriber's thread owns it.
 */
final class Verifier implements FrameConsumer {
    /** Longer latencies are recorded as this one. */
    private static final long MAX_LATENCY_NANOS = TimeUnit.SECONDS.toNanos(100);

    private static final int PRECISION_DIGITS = 3;

    private final MeasuredChannel clock;
    private final SequenceCheck check;
    private final BodyCheck bodies;
    private final ArrivalLog arrivals;
    private final Histogram latency = new Histogram(MAX_LATENCY_NANOS, PRECISION_DIGITS);
    private final long samplingMask;
    private final long publishersAhead;
    private long foreign;
    private int closeReason;
    private String error;

    /**
     * @param expected its sampling: messages whose number is a multiple of it are recorded
     */
    Verifier(MeasuredChannel clock, SequenceCheck check, Expected expected) {
        this.clock = clock;
        this.check = check;
        this.bodies = new BodyCheck(expected.sizes());
        this.arrivals = new ArrivalLog(expected.arrivals(), expected.sampling());
        this.samplingMask = expected.sampling() - 1L;
        this.publishersAhead = expected.publishersAhead();
    }

    @Override
    public void onFrame(int type, ByteBuffer body) {
        if (type != LoadMessage.TYPE || body.remaining() < LoadMessage.MIN_BODY) {
            onOther(type, body);
            return;
        }
        int at = body.position();
        long stamp = LoadMessage.stampAt(body, at);
        check.onMessage(stamp);
        if ((stamp & samplingMask) == 0) {
            record(stamp, LoadMessage.timeAt(body, at) - publishersAhead);
        }
        bodies.onMessage(stamp, body);
    }

    private void record(long stamp, long intended) {
        Window window = clock.window();
        if (intended >= window.begin() && intended < window.end()) {
            arrivals.add(stamp, clock.now());
            latency.recordValue(Math.min(MAX_LATENCY_NANOS, Math.max(0, clock.now() - intended)));
        }
    }

    private void onOther(int type, ByteBuffer body) {
        if (type == LoadMessage.TYPE) {
            bodies.onFragment();
        } else if (type == ControlFrames.ERROR) {
            closeReason = ErrorFrame.code(body);
            error = ErrorFrame.text(body);
        } else if (!ControlFrames.isControl(type)) {
            foreign++;
        }
    }

    Histogram latency() {
        return latency;
    }

    /** When it got which messages. */
    ArrivalLog arrivals() {
        return arrivals;
    }

    /** Messages whose body is not what was sent. */
    long corrupted() {
        return bodies.corrupted();
    }

    /** Messages that no load generator sent. */
    long foreign() {
        return foreign;
    }

    /** The code with which the relay closed this connection, or 0. */
    int closeReason() {
        return closeReason;
    }

    /** What the relay said when it closed this connection, or null. */
    String error() {
        return error;
    }
}
