package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.loadgen.message.OrderTrace;
import dev.msgrelay.loadgen.message.SequenceCheck;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.message.StateCheck;
import dev.msgrelay.loadgen.plan.Got.Received;
import dev.msgrelay.loadgen.plan.Histograms;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.StateSeen;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.protocol.BulkFrameConsumer;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Checks every message of a subscriber and every report of the relay, and records the latency of one of {@code
 * sampling} messages. The subscriber's thread owns it; any thread may call {@link #awaitWelcome}.
 */
final class Verifier implements BulkFrameConsumer {
    private final MeasuredChannel clock;
    private final WritableByteChannel answers;
    private final OrderTrace order = new OrderTrace();
    private final MessageCheck check;
    private final ToldStream told = new ToldStream();
    private final Histogram latency = Histograms.recording();
    /** The window of the recorded latencies. */
    private Window recorded = Window.NONE;

    private final SizeTable sizes;
    private final int frameLength;
    private final Policy hello;
    /** The check of a subscriber that starts with the state; otherwise null. */
    private final StateCheck state;

    /** The interval that such a subscriber asks for, in milliseconds; 0: none. */
    private final int intervalMillis;

    private final long samplingMask;
    private final CountDownLatch welcomed = new CountDownLatch(1);
    private final ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
    private long messages;
    private long foreign;
    // Number of messages that arrived before their intended time: either the clocks differ, or the publisher sends too
    // early.
    private long beforeTheirTime;
    private int closeReason;
    private boolean complete;
    /** Number of messages that were passed over before the state was complete. */
    private long passedOverBefore;

    private String error;

    /**
     * @param answers channel to which PONG frames are written
     * @param hello policy in the subscriber's HELLO; null: no HELLO was sent, and the relay reports nothing
     * @param fromState whether that HELLO asks for the state
     */
    Verifier(MeasuredChannel clock, WritableByteChannel answers, Load load, Policy hello, boolean fromState) {
        this.clock = clock;
        this.answers = answers;
        this.hello = hello;
        this.sizes = load.sizes();
        this.frameLength = FrameLayout.frameLength(sizes.max());
        this.check = new MessageCheck(load.publishers(), sizes, order);
        this.samplingMask = load.sampling() - 1L;
        this.state = fromState ? new StateCheck(sizes) : null;
        this.intervalMillis = fromState ? load.intervalMillis() : 0;
        if (hello == null) {
            told.startAt(1);
        }
    }

    @Override
    public void onFrame(int type, ByteBuffer body) {
        if (ControlFrames.isControl(type)) {
            onControl(type, body);
        } else if (told.hasBegun()) {
            told.messages(1);
            messages++;
            if (state != null) {
                boolean hasNumber = body.remaining() >= LoadMessage.MIN_BODY;
                long stamp = hasNumber ? LoadMessage.stampAt(body, body.position()) : StateCheck.NONE;
                state.onMessage(type, hasNumber ? LoadMessage.number(stamp) : StateCheck.NONE);
            }
            onMessage(type, body);
        }
    }

    @Override
    public int onFrames(ByteBuffer source, int from, int to) {
        if (state != null) {
            return 0;
        }
        long first = check.next();
        int run = check.onRun(source, from, to);
        if (run == 0) {
            return 0;
        }
        told.messages(run);
        messages += run;
        // The sampling is a power of two. The loop starts at its first multiple that is not below the first stamp.
        for (long stamp = first + samplingMask & ~samplingMask; stamp < first + run; stamp += samplingMask + 1) {
            record(source, from + (int) (stamp - first) * frameLength + FrameLayout.HEADER_LENGTH);
        }
        return run * frameLength;
    }

    private void onMessage(int type, ByteBuffer body) {
        int at = body.position();
        if (!sizes.carries(type)) {
            foreign++;
        } else if (check.onMessage(type, body)) {
            if ((LoadMessage.stampAt(body, at) & samplingMask) == 0) {
                record(body, at);
            }
        }
    }

    private void record(ByteBuffer body, int at) {
        recordFor(clock.window());
        long intended = LoadMessage.timeAt(body, at, clock.now());
        if (intended >= recorded.begin() && intended < recorded.end()) {
            long took = clock.now() - intended;
            beforeTheirTime += took < 0 ? 1 : 0;
            latency.recordValue(Math.min(Histograms.LONGEST_NANOS, Math.max(0, took)));
        }
    }

    private void recordFor(Window window) {
        if (window != recorded) {
            recorded = window;
            latency.reset();
            beforeTheirTime = 0;
        }
    }

    private void onControl(int type, ByteBuffer body) {
        try {
            switch (type) {
                case ControlFrames.WELCOME -> welcome(WelcomeFrame.decode(body));
                case ControlFrames.GAP -> {
                    GapFrame.check(body);
                    onGap(GapFrame.from(body), GapFrame.to(body), GapFrame.reason(body));
                }
                case ControlFrames.PING -> {
                    PingFrame.check(body);
                    told.stands(PingFrame.next(body));
                    // Next 0: the state is on its way, and this PING says nothing about it.
                    if (state != null && PingFrame.next(body) != 0) {
                        onPing(PingFrame.next(body), PingFrame.head(body));
                    }
                    answer(PingFrame.id(body));
                }
                case ControlFrames.ERROR -> {
                    ErrorFrame.check(body);
                    closeReason = ErrorFrame.code(body);
                    error = ErrorFrame.text(body);
                }
                default -> {
                    // After GOAWAY, the connection ends. Other frames are only sent if a subscriber asks for them.
                }
            }
        } catch (FrameException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private void onGap(long from, long to, int reason) {
        long count = to - from + 1;
        if (state != null && reason == GapReason.SUPERSEDED.code()) {
            told.passedOver(from, to);
            check.onPassedOver(count);
            state.onPassedOver(count);
            return;
        }
        told.gap(from, to);
        check.onGap(count);
        if (state != null) {
            state.onLost(count);
        }
    }

    private void onPing(long next, long head) {
        state.onPing();
        if (!complete && next == head + 1) {
            complete = true;
            passedOverBefore = told.passedOver();
        }
    }

    private void welcome(WelcomeFrame welcome) {
        if (welcome.policy() != hello) {
            throw new IllegalArgumentException("asked for the policy "
                    + (hello == null ? "of the relay" : hello.flag()) + ", the relay grants "
                    + welcome.policy().flag());
        }
        if (state != null && welcome.next() != 1) {
            throw new IllegalArgumentException("asked for the whole state, the relay starts at " + welcome.next());
        }
        if (welcome.intervalMillis() != intervalMillis) {
            throw new IllegalArgumentException("asked for an interval of " + intervalMillis
                    + " ms, the relay grants one of " + welcome.intervalMillis() + " ms");
        }
        told.startAt(welcome.next());
        welcomed.countDown();
    }

    private void answer(long id) {
        PongFrame.put(pong.clear(), id);
        try {
            answers.write(pong.flip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean awaitWelcome(long millis) throws InterruptedException {
        return welcomed.await(millis, TimeUnit.MILLISECONDS);
    }

    long messages() {
        return messages;
    }

    /**
     * Whether a message of every publisher has arrived, and the state, if the subscriber starts with it. An unreadable
     * message also ends the wait, since then the run fails anyway.
     */
    boolean hasHeardOfAll() {
        return check.sequence().heardOfAll() && (state == null || complete) || check.unreadable() > 0;
    }

    /**
     * Returns the number of messages that arrived, or that cannot arrive any more: the relay reported them as missing
     * or passed over, or a later one of their publisher arrived.
     */
    long accountedFor() {
        // A reported or unreadable message also counts as lost once a later one of its publisher arrives. So only the
        // larger count is used.
        return check.sequence().accepted()
                + told.passedOver()
                + Math.max(check.sequence().lost(), check.unreadable() + told.missed());
    }

    String error() {
        return error;
    }

    /**
     * Returns the subscriber's report, after the last message, and after {@link MeasuredChannel#end}.
     *
     * @param sent number of messages sent, by publisher id; empty for a subscriber that stopped before the stream's end
     */
    Received result(int index, Map<Integer, Long> sent, long waitedMillis, String closed) {
        recordFor(clock.window());
        SequenceCheck sequence = check.sequence();
        long lostBefore = sequence.lost();
        sent.forEach(sequence::onEnd);
        Faults faults = new Faults(
                sequence.lost(),
                sequence.lost() - lostBefore,
                sequence.duplicated(),
                sequence.reordered(),
                check.corrupted(),
                foreign + sequence.unknown(),
                SubscriberResult.SAME_ORDER,
                0,
                waitedMillis);
        return new Received(
                new SubscriberResult(
                        index, clock.messagesMeasured(), faults, told.all(), stateSeen(), closed, closeReason),
                clock.bytesMeasured(),
                clock.pauses(),
                beforeTheirTime,
                clock.heardLate() || told.passedOver() > passedOverBefore ? -1 : latency.getTotalCount(),
                latency,
                order);
    }

    private StateSeen stateSeen() {
        return state == null
                ? StateSeen.NONE
                : new StateSeen(told.passedOver(), state.compared(), state.wrong(), state.first());
    }
}
