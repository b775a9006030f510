package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.load.MessageCheck;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One subscriber: a blocking connection and a thread of its own, which walks through the frames of the compacting reader
 * and checks them, or only counts bytes. Other threads may ask for {@link #messages} and {@link #bytes} at any time, and
 * for the rest once {@link #stop} has returned.
 */
final class Receiver implements Progress.Counted, Runnable {
    private static final long JOIN_MILLIS = 2_000;

    private final ByteChannel channel;
    private final Settings settings;
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
     * Says HELLO, where it is to be said, and begins to read.
     *
     * @param name by which a relay knows it that is told HELLO
     * @param check that looks at the messages
     */
    Receiver(ByteChannel channel, Settings settings, int bufferSize, Control control, String name, MessageCheck check)
            throws IOException {
        this.channel = channel;
        this.settings = settings;
        this.bufferSize = bufferSize;
        this.measured = new MeasuredChannel(channel, messages::get, control, settings.bytesPerSecond());
        this.verifier = settings.check() == Check.NONE ? null : new Verifier(measured, channel, settings, check);
        if (!settings.isPlain()) {
            channel.write(HelloFrame.subscriber()
                    .policy(settings.policy())
                    .name(name)
                    .build()
                    .encode());
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
        } catch (ClosedChannelException e) {
            // stop() closed it, while we were reading or between two reads
        } catch (IOException | RuntimeException e) {
            closed = e.getMessage() == null ? e.toString() : e.getMessage();
            leave();
        } finally {
            primed.countDown();
        }
    }

    /** Whom nobody reads any more, the relay would wait for. */
    private void leave() {
        try {
            channel.close();
        } catch (IOException e) {
            // it is gone already
        }
    }

    private void checkFrames() throws IOException {
        FrameReader reader = new FrameReader(bufferSize, settings.sizes().max());
        boolean waiting = true;
        while (reader.read(measured, verifier) >= 0) {
            // One writer: ordered stores are enough, and cost nothing.
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
        double meanFrame = settings.sizes().meanFrame();
        while (measured.read(buffer.clear()) >= 0) {
            bytes.lazySet(measured.bytes());
            messages.lazySet(Math.round(measured.bytes() / meanFrame));
            primed.countDown();
        }
    }

    /** Waits for the answer to HELLO; false when the time is over or the connection is closed. */
    boolean awaitWelcome(long millis) throws InterruptedException {
        return settings.isPlain() || verifier == null || verifier.awaitWelcome(millis) && closed == null;
    }

    /** Waits until a message of every publisher has come. False when the time is over or the connection is closed. */
    boolean awaitPrimed(long millis) throws InterruptedException {
        return settings.publishers() == 0 || primed.await(millis, TimeUnit.MILLISECONDS) && closed == null;
    }

    /** Messages received. */
    @Override
    public long messages() {
        return messages.get();
    }

    @Override
    public long bytes() {
        return bytes.get();
    }

    /** Why the relay's side ended, or null while it has not. */
    String closed() {
        return closed;
    }

    /** Whether nothing is to come any more when so many messages have been sent. */
    boolean isComplete(long sent) {
        return closed != null || accounted.get() >= sent;
    }

    /** Waits for the end of the stream; true when it has come. */
    boolean awaitEnd(long millis) throws InterruptedException {
        thread.join(millis);
        return !thread.isAlive();
    }

    /** Closes the connection and ends the thread. */
    void stop() throws IOException, InterruptedException {
        channel.close();
        if (!awaitEnd(JOIN_MILLIS)) {
            throw new IOException("subscriber thread did not end within " + JOIN_MILLIS + " ms");
        }
    }

    /**
     * All there is to say, after {@link #stop}.
     *
     * @param sent by each publisher, all of which ought to have come; empty for one that was stopped somewhere
     */
    JsonObject result(int index, Map<Integer, Long> sent) {
        JsonObject result = new JsonObject();
        result.put("index", index);
        result.put("messages", measured.messagesMeasured());
        result.put("bytes", measured.bytesMeasured());
        result.put("total", messages.get());
        result.put("closed", closed);
        result.put("pauses", measured.pauses());
        if (verifier != null) {
            verifier.addTo(result, sent);
        }
        return result;
    }

    /**
     * How a subscriber reads, and what it checks and records.
     *
     * @param check of the messages
     * @param publishers that must be heard of and are checked
     * @param sizes of all messages
     * @param choice those of them that are to come
     * @param sampling one in so many messages has its latency recorded; a power of two
     * @param policy that it asks for in a HELLO, to be told what it misses; null: it says nothing
     * @param bytesPerSecond that it reads; 0: as fast as they come
     */
    record Settings(
            Check check,
            int publishers,
            SizeTable sizes,
            TypeChoice choice,
            int sampling,
            Policy policy,
            int bytesPerSecond) {
        Settings {
            if (Integer.bitCount(sampling) != 1) {
                throw new IllegalArgumentException("sampling " + sampling + " is not a power of two");
            }
        }

        /** What looks at the messages from the first one on. */
        MessageCheck newCheck() {
            return new MessageCheck(publishers, sizes, choice);
        }

        /** The same check, of the messages of one publisher over a plain connection. */
        Settings ofOnePublisher() {
            return new Settings(check, 1, sizes, new TypeChoice(sizes, TypeRanges.ALL), sampling, null, 0);
        }

        boolean isPlain() {
            return policy == null;
        }
    }
}
