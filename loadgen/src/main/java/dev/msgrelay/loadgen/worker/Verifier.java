package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.MessageCheck;
import dev.msgrelay.loadgen.load.SequenceCheck;
import dev.msgrelay.protocol.BulkFrameConsumer;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.PingFrame;
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
 * Checks every message that a subscriber gets and all that the relay tells it of the stream, and records the latency of
 * one message in {@code sampling}. The subscriber's thread owns it; {@link #welcomed} is for any.
 */
final class Verifier implements BulkFrameConsumer {
    /** Longer latencies are recorded as this one. */
    private static final long MAX_LATENCY_NANOS = TimeUnit.SECONDS.toNanos(100);

    private static final int PRECISION_DIGITS = 3;

    private final MeasuredChannel clock;
    private final WritableByteChannel answers;
    private final MessageCheck check;
    private final ToldStream told = new ToldStream();
    private final Histogram latency;
    private final Receiver.Settings settings;
    private final long samplingMask;
    private final CountDownLatch welcomed = new CountDownLatch(1);
    private final ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
    private long messages;
    private long foreign;
    // Messages that came before the time at which they were to be sent: two clocks, or a publisher that runs ahead.
    private long beforeTheirTime;
    private int closeReason;
    private String error;

    /**
     * @param answers where a PING is answered
     * @param check that looks at the messages
     */
    Verifier(MeasuredChannel clock, WritableByteChannel answers, Receiver.Settings settings, MessageCheck check) {
        this.clock = clock;
        this.answers = answers;
        this.settings = settings;
        this.check = check;
        this.latency = new Histogram(MAX_LATENCY_NANOS, PRECISION_DIGITS);
        this.samplingMask = settings.sampling() - 1L;
        if (settings.isPlain()) {
            told.begin(1);
        }
    }

    @Override
    public void onFrame(int type, ByteBuffer body) {
        if (ControlFrames.isControl(type)) {
            onControl(type, body);
        } else if (told.hasBegun()) {
            told.messages(1);
            messages++;
            onMessage(type, body);
        }
    }

    /** Of the messages that the check knows to come next, only those that are sampled are looked at by themselves. */
    @Override
    public int onFrames(ByteBuffer source, int from, int to) {
        long first = check.next();
        int run = check.onRun(source, from, to);
        if (run == 0) {
            return 0;
        }
        told.messages(run);
        messages += run;
        int frameLength = FrameLayout.frameLength(settings.sizes().max());
        // The first multiple of the sampling, a power of two, that is not below the first stamp.
        for (long stamp = first + samplingMask & ~samplingMask; stamp < first + run; stamp += samplingMask + 1) {
            record(source, from + (int) (stamp - first) * frameLength + FrameLayout.HEADER_LENGTH);
        }
        return run * frameLength;
    }

    private void onMessage(int type, ByteBuffer body) {
        int at = body.position();
        if (!settings.sizes().carries(type)) {
            foreign++;
        } else if (check.onMessage(type, body)) {
            long stamp = settings.choice().ranked(LoadMessage.stampAt(body, at));
            if ((stamp & samplingMask) == 0) {
                record(body, at);
            }
        }
    }

    private void record(ByteBuffer body, int at) {
        Window window = clock.window();
        long intended = LoadMessage.timeAt(body, at, clock.now());
        if (intended >= window.begin() && intended < window.end()) {
            long took = clock.now() - intended;
            beforeTheirTime += took < 0 ? 1 : 0;
            latency.recordValue(Math.min(MAX_LATENCY_NANOS, Math.max(0, took)));
        }
    }

    private void onControl(int type, ByteBuffer body) {
        try {
            switch (type) {
                case ControlFrames.WELCOME -> welcome(WelcomeFrame.decode(body));
                case ControlFrames.GAP -> {
                    GapFrame.check(body);
                    gap(GapFrame.from(body), GapFrame.to(body));
                }
                case ControlFrames.PING -> {
                    PingFrame.check(body);
                    told.stands(PingFrame.next(body));
                    answer(PingFrame.id(body));
                }
                case ControlFrames.ERROR -> {
                    ErrorFrame.check(body);
                    closeReason = ErrorFrame.code(body);
                    error = ErrorFrame.text(body);
                }
                default -> {
                    // GOAWAY: the end will tell. Others are not for who asked for nothing.
                }
            }
        } catch (FrameException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private void welcome(WelcomeFrame welcome) {
        if (welcome.policy() != settings.policy()) {
            throw new IllegalArgumentException("asked for the policy "
                    + (settings.isPlain() ? "of the relay" : settings.policy().flag()) + ", the relay grants "
                    + welcome.policy().flag());
        }
        told.begin(welcome.next());
        welcomed.countDown();
    }

    private void gap(long from, long to) {
        told.gap(from, to);
        check.onGap(to - from + 1);
    }

    private void answer(long id) {
        PongFrame.put(pong.clear(), id);
        try {
            answers.write(pong.flip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the answer to HELLO; false when the time is over. */
    boolean awaitWelcome(long millis) throws InterruptedException {
        return welcomed.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Messages of any kind that came. */
    long messages() {
        return messages;
    }

    /** Whether every publisher is there, or sends what nobody can read: the run need not wait to fail. */
    boolean hasHeardOfAll() {
        return check.sequence().heardOfAll() || check.unreadable() > 0;
    }

    /**
     * Messages that came, each once, or of which it is known that they do not come: told by the relay, or followed by a later
     * one of their publisher.
     */
    long accountedFor() {
        // What was told or could not be read leaves a hole, too, as soon as a later message of its publisher has come.
        return check.sequence().accepted() + Math.max(check.sequence().lost(), check.unreadable() + told.missed());
    }

    /** What the relay said when it closed this connection, or null. */
    String error() {
        return error;
    }

    /**
     * All there is to say of what came, once nothing comes any more.
     *
     * @param sent by each publisher, all of which ought to have come; empty for one that was stopped somewhere
     */
    void addTo(JsonObject result, Map<Integer, Long> sent) {
        SequenceCheck sequence = check.sequence();
        long lostBefore = sequence.lost();
        sent.forEach(check::onEnd);
        result.put("tail", sequence.lost() - lostBefore);
        result.put("lost", sequence.lost());
        result.put("duplicated", sequence.duplicated());
        result.put("reordered", sequence.reordered());
        result.put("corrupted", check.corrupted());
        // Nobody of this run sent these, or they were not chosen.
        result.put("foreign", foreign + check.unasked() + sequence.unknown());
        result.put("missed", told.missed());
        result.put("gaps", told.gaps());
        result.put("untrue", told.untrue());
        result.put("closeReason", closeReason);
        result.put("beforeTheirTime", beforeTheirTime);
        if (!clock.heardLate()) {
            result.put("samples", latency.getTotalCount());
        }
        result.put("latency", Histograms.encode(latency));
        result.put("order", check.order().encode());
    }
}
