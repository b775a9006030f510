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

/** A connection under one publisher id. One thread at a time owns it; its counts are for any thread. */
public final class PublishConnection implements Heartbeat.Counted, AutoCloseable {
    private static final long NOT_YET = -1;

    /** Time between two messages before the run, by which subscribers hear of the publisher. */
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

    /** Sends small messages on each connection until the window comes: then all have heard of all publishers. */
    public static Window prime(List<PublishConnection> connections, SizeTable sizes, Control control)
            throws IOException, InterruptedException {
        FrameBatch single = FrameBatch.ofMessages(sizes, 1);
        while (control.window() == Window.NONE) {
            for (PublishConnection connection : connections) {
                // A round has every type, for subscribers that choose one type.
                for (int i = 0; i < sizes.types(); i++) {
                    connection.prime(single, System.nanoTime());
                }
            }
            TimeUnit.MILLISECONDS.sleep(PRIME_EVERY_MILLIS);
        }
        return control.window();
    }

    /** Sends one message before the run, so that subscribers hear of this publisher. */
    void prime(FrameBatch batch, long nowNanos) throws IOException {
        batch.add(LoadMessage.stamp(id, messages.get()), nowNanos);
        lastPrimed = nowNanos;
        write(batch.drain(), messages.get() + 1);
    }

    /** Publishes at full speed until the end of the window; the last write only completes the last frame. */
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

    /** Writes all bytes, blocking; {@code messagesThen} messages have been sent then. */
    void write(ByteBuffer source, long messagesThen) throws IOException {
        int length = source.remaining();
        try {
            outlet.write(source);
        } catch (IOException e) {
            throw new IOException("publisher " + id + ": " + e.getMessage(), e);
        }
        // An ordered store is enough for one writer, and costs nothing.
        messages.lazySet(messagesThen);
        bytes.lazySet(bytes.get() + length);
    }

    /** Sets the window, after the last message before the run. */
    void hear(Window told) {
        window = told;
        late = messages.get() > 0 && lastPrimed >= window.begin();
    }

    /** Notes the counts at {@code now}, before the next message is sent. */
    void note(long now) {
        measured.note(now, window, messages.get(), bytes.get());
    }

    void timedFrom(long number) {
        firstTimed = number;
    }

    /** The first message of the measured part: the one that was set, or the next one at its begin. */
    private long firstTimed() {
        return firstTimed != NOT_YET ? Math.min(firstTimed, messages.get()) : measured.before(messages.get());
    }

    long messagesMeasured() {
        return measured.messages(messages.get());
    }

    long bytesMeasured() {
        return measured.bytes(bytes.get());
    }

    /** The number of sent messages, and so of the next one. */
    @Override
    public long messages() {
        return messages.get();
    }

    @Override
    public long bytes() {
        return bytes.get();
    }

    /** Waits until the outlet's messages cannot be lost any more. */
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
                // A publisher that heard of the window too late does not know its first message.
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
