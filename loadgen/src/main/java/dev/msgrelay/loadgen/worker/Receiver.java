package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Got.Received;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.Told;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One subscriber: a blocking connection with its own thread, which checks frames, or only counts bytes. Any thread may
 * call {@link #messages} and {@link #bytes} at any time, and the other methods after {@link #stop}.
 */
final class Receiver implements Heartbeat.Counted, Runnable {
    /** Longest wait for the end of the thread, which only a thread that hangs reaches. */
    private static final long JOIN_MILLIS = 60_000;

    /** Interval of the PINGs at which a state is compared. */
    private static final int STATE_COMPARED_MILLIS = 100;

    private final ByteChannel channel;
    private final Job job;
    private final Policy hello;
    private final int bufferSize;
    private final MeasuredChannel measured;
    private final Verifier verifier;
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong accounted = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final CountDownLatch primed = new CountDownLatch(1);
    private final Thread thread;
    private volatile String closed;

    /**
     * Sends HELLO if {@code hello} is not null, and starts the thread that receives.
     *
     * @param hello policy to ask for in HELLO, so that the relay reports missing messages; null: no HELLO is sent
     */
    Receiver(ByteChannel channel, Job job, Policy hello, int bufferSize, Control control, String name)
            throws IOException {
        this.channel = channel;
        this.job = job;
        this.hello = hello;
        this.bufferSize = bufferSize;
        int bytesPerSecond = job.slow() ? job.load().slow().bytesPerSecond() : 0;
        this.measured = new MeasuredChannel(channel, messages::get, control, bytesPerSecond);
        boolean fromState = job.startsWithState();
        this.verifier = job.load().isChecked() ? new Verifier(measured, channel, job.load(), hello, fromState) : null;
        if (hello != null) {
            HelloFrame.Builder wishes = HelloFrame.subscriber().policy(hello).name(name);
            if (fromState) {
                wishes.fromState(0, 0).features(Features.SEQUENCES).heartbeatMillis(STATE_COMPARED_MILLIS);
            }
            if (fromState && job.load().hasInterval()) {
                wishes.intervalMillis(job.load().intervalMillis());
            }
            channel.write(wishes.build().encode());
        }
        this.thread = new Thread(this, name);
        thread.start();
    }

    @Override
    public void run() {
        try {
            if (verifier == null) {
                countBytes();
            } else {
                checkFrames();
            }
            closed = verifier == null || verifier.error() == null ? "closed by the relay" : verifier.error();
        } catch (UncheckedIOException e) {
            // An answer could not be written.
            fail(e.getCause());
        } catch (IOException | RuntimeException e) {
            fail(e);
        } finally {
            primed.countDown();
        }
    }

    private void fail(Exception e) {
        if (e instanceof ClosedChannelException) {
            // stop() closed the channel, within a read or within an answer.
            return;
        }
        closed = e.getMessage() == null ? e.toString() : e.getMessage();
        closeConnection();
    }

    /** Closes the channel after a failure, so that the relay does not wait for this subscriber. */
    private void closeConnection() {
        try {
            channel.close();
        } catch (IOException e) {
            // The channel is closed already.
        }
    }

    private void checkFrames() throws IOException {
        FrameReader reader = new FrameReader(bufferSize, job.load().body().max());
        boolean waiting = true;
        while (reader.read(measured, verifier) >= 0) {
            // Ordered stores are enough, as only one thread writes, and are cheaper than volatile writes.
            bytes.lazySet(measured.bytes());
            messages.lazySet(verifier.messages());
            accounted.lazySet(verifier.accountedFor());
            if (waiting && verifier.hasHeardOfAll()) {
                waiting = false;
                primed.countDown();
            }
        }
    }

    private void countBytes() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bufferSize);
        double meanFrame = job.load().sizes().meanFrame();
        while (measured.read(buffer.clear()) >= 0) {
            bytes.lazySet(measured.bytes());
            messages.lazySet(Math.round(measured.bytes() / meanFrame));
            primed.countDown();
        }
    }

    /** Waits for the answer to HELLO; false if the time is over or the connection is closed. */
    boolean awaitWelcome(long millis) throws InterruptedException {
        return hello == null || verifier == null || verifier.awaitWelcome(millis) && closed == null;
    }

    /** Waits until a message of every publisher has arrived; false if the time is over or the connection is closed. */
    boolean awaitPrimed(long millis) throws InterruptedException {
        return job.load().publishers() == 0 || primed.await(millis, TimeUnit.MILLISECONDS) && closed == null;
    }

    @Override
    public long messages() {
        return messages.get();
    }

    @Override
    public long bytes() {
        return bytes.get();
    }

    String closed() {
        return closed;
    }

    boolean isComplete(long sent) {
        return closed != null || accounted.get() >= sent;
    }

    boolean awaitEnd(long millis) throws InterruptedException {
        thread.join(millis);
        return !thread.isAlive();
    }

    void stop() throws IOException, InterruptedException {
        channel.close();
        if (!awaitEnd(JOIN_MILLIS)) {
            throw new IOException("subscriber thread did not end within " + JOIN_MILLIS + " ms");
        }
    }

    Received result(int index, Map<Integer, Long> sent, long waitedMillis) {
        measured.end();
        if (verifier != null) {
            return verifier.result(index, sent, waitedMillis, closed);
        }
        SubscriberResult counted =
                new SubscriberResult(index, measured.messagesMeasured(), Faults.NONE, Told.NOTHING, closed, 0);
        return new Received(counted, measured.bytesMeasured(), measured.pauses(), 0, -1, null, null);
    }
}
