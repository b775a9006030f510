package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.MessageStream;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Sent.Published;
import dev.msgrelay.loadgen.plan.Window;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * One connection that publishes under one publisher id. Owned by one thread at a time; {@link #messages} and {@link
 * #bytes} may be asked by any.
 */
public final class PublishConnection implements Heartbeat.Counted, AutoCloseable {
    private static final long NOT_YET = -1;

    /** Between two messages of a publisher that waits for all subscribers to have heard of it. */
    private static final long PRIME_EVERY_MILLIS = 10;

    private final int id;
    private final Outlet outlet;
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final Window.Count measured = new Window.Count();
    private long firstTimed = NOT_YET;
    private Window window = Window.NONE;
    private long lastPrimed;
    private boolean late;

    public PublishConnection(int id, Outlet outlet) {
        this.id = id;
        this.outlet = outlet;
    }

    public int id() {
        return id;
    }

    Outlet outlet() {
        return outlet;
    }

    /** One small message now and then on each connection until the controller says that everyone has heard of them. */
    public static Window prime(List<PublishConnection> connections, SizeTable sizes, Control control)
            throws IOException, InterruptedException {
        FrameBatch single = FrameBatch.ofMessages(sizes, 1);
        while (control.window() == Window.NONE) {
            for (PublishConnection connection : connections) {
                // Whoever chooses one type alone hears of it with the first round.
                for (int i = 0; i < sizes.types(); i++) {
                    connection.prime(single, System.nanoTime());
                }
            }
            TimeUnit.MILLISECONDS.sleep(PRIME_EVERY_MILLIS);
        }
        return control.window();
    }

    /** Sends one message on its own, ahead of the run, so that subscribers hear of this publisher. */
    void prime(FrameBatch batch, long nowNanos) throws IOException {
        batch.add(LoadMessage.stamp(id, messages.get()), nowNanos);
        lastPrimed = nowNanos;
        write(batch.drain(), messages.get() + 1);
    }

    /**
     * Publishes as fast as it goes, from the window's {@link Window#sendFrom} to its end; the last write only completes the
     * last frame.
     */
    public void publish(MessageStream stream, Window told) throws IOException {
        hear(told);
        long now = new Waiter(0).awaitMoment(told.sendFrom());
        while (now < told.end()) {
            note(now);
            ByteBuffer data = stream.next(now);
            write(data, stream.nextNumber());
            now = System.nanoTime();
        }
        write(stream.rest(), stream.nextNumber());
    }

    /** Writes all of it, blocking: so many messages have been sent when that is done. */
    void write(ByteBuffer source, long messagesThen) throws IOException {
        int length = source.remaining();
        try {
            outlet.write(source);
        } catch (IOException e) {
            throw new IOException("publisher " + id + ": " + e.getMessage(), e);
        }
        // One writer: an ordered store is enough, and costs nothing.
        messages.lazySet(messagesThen);
        bytes.lazySet(bytes.get() + length);
    }

    /** Tells the window, after the last message that was sent ahead of the run. */
    void hear(Window told) {
        window = told;
        late = messages.get() > 0 && lastPrimed >= window.begin();
    }

    /** What is sent from now on belongs to the measured part, or to what is behind it, if that has come. */
    void note(long now) {
        measured.note(now, window, messages.get(), bytes.get());
    }

    /** Tells the number of the first message that is meant to be sent within the measured part. */
    void timedFrom(long number) {
        firstTimed = number;
    }

    /** The first message whose time is within the measured part; as told, or the next one when that began. */
    private long firstTimed() {
        return firstTimed != NOT_YET ? Math.min(firstTimed, messages.get()) : measured.before(messages.get());
    }

    long messagesMeasured() {
        return measured.messages(messages.get());
    }

    long bytesMeasured() {
        return measured.bytes(bytes.get());
    }

    /** Messages sent, and the number of the next one. */
    @Override
    public long messages() {
        return messages.get();
    }

    @Override
    public long bytes() {
        return bytes.get();
    }

    /** Waits until nothing that was sent can be lost any more, as far as the outlet answers for it. */
    void settle() throws IOException, InterruptedException {
        try {
            outlet.settle();
        } catch (IOException e) {
            throw new IOException("publisher " + id + ": " + e.getMessage(), e);
        }
    }

    Published said() {
        Histogram after = outlet.acknowledgedAfter();
        return new Published(
                id,
                messages(),
                // Where it heard of the window when that had begun, nobody knows which message was the first of it.
                late ? NOT_YET : firstTimed(),
                messagesMeasured(),
                bytesMeasured(),
                after == null ? 0 : outlet.acknowledged(),
                after);
    }

    @Override
    public void close() throws IOException {
        outlet.close();
    }
}
