package dev.msgrelay.server.harness;

import dev.msgrelay.protocol.ControlFrames;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;

/**
 * The article's subscriber: connects and reads frames, on a thread of its own. It checks the body of each, see
 * {@link Frames}, and writes down types and lengths in their order. It can stop reading for a while.
 */
public final class PlainSubscriber implements AutoCloseable {
    private static final int READ_BYTES = 64 << 10;

    private final SocketChannel channel;
    private final Thread thread;
    private final Received received = new Received();

    private volatile boolean passesControl;
    private ByteBuffer buffer = ByteBuffer.allocate(4 * READ_BYTES);
    private volatile CountDownLatch resumed;
    private volatile String end;

    private PlainSubscriber(SocketChannel channel, boolean startsReading) {
        this.channel = channel;
        resumed = new CountDownLatch(startsReading ? 0 : 1);
        thread = new Thread(this::run, "plain-subscriber");
        thread.setDaemon(true);
        thread.start();
    }

    public static PlainSubscriber connect(SocketAddress address) throws IOException {
        return new PlainSubscriber(PlainPublisher.open(address, 0), true);
    }

    /** Connects, with a small receive buffer, and reads nothing before {@link #resume}. */
    public static PlainSubscriber connectPaused(SocketAddress address, int receiveBuffer) throws IOException {
        return new PlainSubscriber(PlainPublisher.open(address, receiveBuffer), false);
    }

    /** Says HELLO, in these bytes, and passes over what the relay says but for messages; answers nothing. */
    public PlainSubscriber hello(ByteBuffer hello) throws IOException {
        passesControl = true;
        channel.write(hello);
        return this;
    }

    /** Stops reading; a read that is under way, or waits for something to come, is the last one. */
    public void pause() {
        resumed = new CountDownLatch(1);
    }

    public void resume() {
        resumed.countDown();
    }

    public Received received() {
        return received;
    }

    /** How the connection ended, or null while it is open: "end of stream", or what the system said. */
    public String end() {
        return end;
    }

    /** Waits until so many messages have come, or fails with what is wrong. */
    public PlainSubscriber awaitMessages(int count) {
        Await.until(
                () -> count + " messages; has " + received.count() + ", ended: " + end + ", wrong: " + received.wrong(),
                () -> received.count() >= count || end != null || received.wrong() != null);
        return this;
    }

    public PlainSubscriber awaitEnd() {
        Await.until(() -> "end of a subscriber with " + received.count() + " messages", () -> end != null);
        return this;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        resume();
        try {
            Await.join(thread);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            int n = 0;
            while (n >= 0 && received.wrong() == null) {
                resumed.await();
                n = channel.read(buffer);
                takeFrames();
            }
            received.leftover(buffer.position());
            end = "end of stream";
        } catch (IOException | InterruptedException e) {
            received.leftover(buffer.position());
            end = String.valueOf(e.getMessage());
        }
    }

    private void takeFrames() {
        int limit = buffer.position();
        int at = 0;
        int frame = 0;
        while (limit - at >= 8) {
            int length = buffer.getInt(at + 4);
            if (length < 0 || length > 64 << 20) {
                received.wrong("length " + length + " behind message " + received.count());
                return;
            }
            frame = 8 + length;
            if (limit - at < frame) {
                break;
            }
            if (!passesControl || !ControlFrames.isControl(buffer.getInt(at))) {
                received.add(buffer, at);
            }
            at += frame;
        }
        ByteBuffer to = buffer.capacity() - READ_BYTES < frame ? ByteBuffer.allocate(frame + 2 * READ_BYTES) : buffer;
        to.put(0, buffer.array(), at, limit - at);
        buffer = to.limit(to.capacity()).position(limit - at);
    }
}
