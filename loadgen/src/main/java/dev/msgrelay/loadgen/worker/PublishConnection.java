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

/** A connection of one publisher. One thread at a time owns it; any thread may read its counts. */
public final class PublishConnection implements Heartbeat.Counted, AutoCloseable {
    private static final long NOT_YET = -1;

    /** Time between two rounds of messages before the run, until every subscriber has received one. */
    private static final long PRIME_EVERY_MILLIS = 10;

    /** The most messages in each of these rounds but the first, which has every type. */
    private static final int MOST_IN_A_ROUND = 1_000;

    private final int id;
    private final Outlet outlet;
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final InForce inForce = new InForce();
    private Window.Count measured = new Window.Count();
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

    /**
     * Sends messages on each connection until the controller sends the window. By then every subscriber has received
     * messages from every publisher.
     */
    public static Window prime(List<PublishConnection> connections, SizeTable sizes, Control control)
            throws IOException, InterruptedException {
        FrameBatch batch = batch(sizes);
        int round = sizes.types();
        while (control.window() == Window.NONE) {
            // Each type is sent, since subscribers may ask for only one type.
            prime(connections, batch, round);
            round = Math.min(round, MOST_IN_A_ROUND);
            TimeUnit.MILLISECONDS.sleep(PRIME_EVERY_MILLIS);
        }
        return control.window();
    }

    /** Sends each type once on each connection, so that a relay's state has all. */
    public static void fill(List<PublishConnection> connections, SizeTable sizes) throws IOException {
        prime(connections, batch(sizes), sizes.types());
    }

    private static FrameBatch batch(SizeTable sizes) {
        return sizes.types() == 1 ? FrameBatch.ofMessages(sizes, 1) : FrameBatch.ofBytes(sizes);
    }

    private static void prime(List<PublishConnection> connections, FrameBatch batch, int count) throws IOException {
        for (PublishConnection connection : connections) {
            for (int left = count; left > 0; ) {
                left -= connection.prime(batch, left, System.nanoTime());
            }
        }
    }

    /** Sends the next messages: at most {@code most}, and no more than fit into the batch; returns their number. */
    int prime(FrameBatch batch, int most, long nowNanos) throws IOException {
        long first = LoadMessage.stamp(id, messages.get());
        int count = 0;
        for (; count < most && batch.hasRoom(first + count); count++) {
            batch.add(first + count, nowNanos);
        }
        lastPrimed = nowNanos;
        write(batch.drain(), messages.get() + count);
        return count;
    }

    /** Publishes at full speed until the end of the window. A last write completes the last frame. */
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

    void write(ByteBuffer source, long messagesThen) throws IOException {
        int length = source.remaining();
        try {
            outlet.write(source);
        } catch (IOException e) {
            throw new IOException("publisher " + id + ": " + e.getMessage(), e);
        }
        // An ordered store is enough, as only one thread writes, and is cheaper than a volatile write.
        messages.lazySet(messagesThen);
        bytes.lazySet(bytes.get() + length);
    }

    void hear(Window told) {
        window = told;
        late = messages.get() > 0 && lastPrimed >= window.begin();
    }

    void note(long now) {
        move(now);
        measured.note(now, inForce.window(), messages.get(), bytes.get());
    }

    private void move(long to) {
        if (inForce.changes(window, to)) {
            measured = new Window.Count();
        }
    }

    void timedFrom(long number) {
        firstTimed = number;
    }

    private long firstTimed() {
        return firstTimed != NOT_YET ? Math.min(firstTimed, messages.get()) : measured.before(messages.get());
    }

    long messagesMeasured() {
        return measured.messages(messages.get());
    }

    long bytesMeasured() {
        return measured.bytes(bytes.get());
    }

    @Override
    public long messages() {
        return messages.get();
    }

    @Override
    public long bytes() {
        return bytes.get();
    }

    void settle() throws IOException, InterruptedException {
        try {
            outlet.settle();
        } catch (IOException e) {
            throw new IOException("publisher " + id + ": " + e.getMessage(), e);
        }
    }

    Published said() {
        move(window.end());
        Histogram after = outlet.acknowledgedAfter();
        return new Published(
                id,
                messages(),
                // A publisher that received the window too late does not know its first message in the window.
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
