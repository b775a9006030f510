package dev.msgrelay.server.harness;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;

/**
 * A subscriber that says HELLO: it reads frames on a thread of its own into an {@link Account}, and answers PING. It
 * can stop reading and leave PINGs unanswered. JDK sockets only, blocking.
 */
public final class SpeakingSubscriber implements AutoCloseable {
    private static final int READ_BYTES = 64 << 10;

    private final SocketChannel channel;
    private final Account account;
    private final Thread thread;
    private final Object writing = new Object();

    private ByteBuffer buffer = ByteBuffer.allocate(4 * READ_BYTES);
    private volatile CountDownLatch resumed;
    private volatile boolean answers = true;
    private volatile boolean staysOpen;
    private volatile boolean pausesAtWelcome;
    private volatile String end;

    private SpeakingSubscriber(SocketChannel channel, Account account, boolean startsReading) {
        this.channel = channel;
        this.account = account;
        resumed = new CountDownLatch(startsReading ? 0 : 1);
        thread = new Thread(this::run, "speaking-subscriber");
        thread.setDaemon(true);
        thread.start();
    }

    public static SpeakingSubscriber connect(SocketAddress address, Account account) throws IOException {
        return new SpeakingSubscriber(PlainPublisher.open(address, 0), account, true);
    }

    /** Connects, with a small receive buffer, and reads nothing before {@link #resume}. */
    public static SpeakingSubscriber connectPaused(SocketAddress address, Account account) throws IOException {
        return new SpeakingSubscriber(PlainPublisher.open(address, 16 << 10), account, false);
    }

    /** A HELLO for some types, with the numbers of what is left out. */
    public static HelloFrame.Builder numbered(TypeRanges types) {
        return HelloFrame.subscriber().types(types).features(Features.SEQUENCES);
    }

    public SpeakingSubscriber hello(HelloFrame.Builder hello) throws IOException {
        HelloFrame frame = hello.build();
        account.begin(frame);
        return send(frame.encode());
    }

    public SpeakingSubscriber subscribe(int request, TypeRanges types) throws IOException {
        account.requested(request, types);
        return send(new SubscribeFrame(request, types).encode());
    }

    public SpeakingSubscriber ping(long id) throws IOException {
        ByteBuffer ping = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);
        PingFrame.put(ping, id, 0, 0);
        return send(ping.flip());
    }

    public SpeakingSubscriber send(ByteBuffer bytes) throws IOException {
        synchronized (writing) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        return this;
    }

    public SpeakingSubscriber answers(boolean pings) {
        answers = pings;
        return this;
    }

    /** It will not close when the relay has ended the stream, as it should. */
    public SpeakingSubscriber staysOpen() {
        staysOpen = true;
        return this;
    }

    public void halfClose() throws IOException {
        channel.shutdownOutput();
    }

    /** Stops reading; a read that is under way, or waits for something to come, is the last one. */
    public void pause() {
        resumed = new CountDownLatch(1);
    }

    /** Goes on, and stops reading again as soon as WELCOME is there. */
    public SpeakingSubscriber resumeUntilWelcome() {
        pausesAtWelcome = true;
        resume();
        return this;
    }

    public void resume() {
        resumed.countDown();
    }

    public Account account() {
        return account;
    }

    /** How the connection ended, or null while it is open: "end of stream", or what the system said. */
    public String end() {
        return end;
    }

    public WelcomeFrame awaitWelcome() {
        awaitSaid(ControlFrames.WELCOME, 1);
        return account.welcome();
    }

    /** Waits until so many control frames of a type have come; answers the last of them. */
    public Account.Said awaitSaid(int type, int count) {
        Await.until(
                () -> count + " x " + ControlFrames.name(type) + ": " + this,
                () -> account.said(type).size() >= count || over());
        if (account.said(type).size() < count) {
            throw new AssertionError("not " + count + " x " + ControlFrames.name(type) + ": " + this);
        }
        return account.said(type).get(count - 1);
    }

    /** Waits until its count is this at least. */
    public SpeakingSubscriber awaitNext(long sequence) {
        Await.until(() -> "a count of " + sequence + ": " + this, () -> account.next() >= sequence || over());
        if (account.wrong() != null || account.next() < sequence) {
            throw new AssertionError("not a count of " + sequence + ": " + this);
        }
        return this;
    }

    public SpeakingSubscriber awaitEnd() {
        Await.until(() -> "the end of " + this, () -> end != null);
        return this;
    }

    /** Waits for ERROR as the last frame, and the end of the connection. */
    public PlainPublisher.Error awaitError() {
        awaitEnd();
        return account.error();
    }

    private boolean over() {
        return end != null || account.wrong() != null;
    }

    @Override
    public String toString() {
        return account + ", ended: " + end;
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
        String how = "end of stream";
        try {
            int n = 0;
            while (n >= 0 && account.wrong() == null) {
                resumed.await();
                n = channel.read(buffer);
                takeFrames();
            }
            if (!staysOpen) {
                channel.close();
            }
        } catch (IOException | InterruptedException e) {
            how = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error e) {
            account.wrong("the test's own subscriber failed: " + e);
        }
        account.leftover(buffer.position());
        end = how;
    }

    private void takeFrames() throws IOException {
        int limit = buffer.position();
        int at = 0;
        int frame = 0;
        while (limit - at >= 8) {
            int length = buffer.getInt(at + 4);
            if (length < 0 || length > 64 << 20) {
                account.wrong("length " + length);
                return;
            }
            frame = 8 + length;
            if (limit - at < frame) {
                break;
            }
            take(at, length);
            at += frame;
        }
        ByteBuffer to = buffer.capacity() - READ_BYTES < frame ? ByteBuffer.allocate(frame + 2 * READ_BYTES) : buffer;
        to.put(0, buffer.array(), at, limit - at);
        buffer = to.limit(to.capacity()).position(limit - at);
    }

    private void take(int at, int length) {
        int type = buffer.getInt(at);
        if (!ControlFrames.isControl(type)) {
            account.message(buffer, at);
            return;
        }
        byte[] body = new byte[length];
        buffer.get(at + 8, body);
        if (type == ControlFrames.WELCOME && pausesAtWelcome) {
            pause();
        }
        account.control(type, body);
        if (type == ControlFrames.PING && answers) {
            ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
            PongFrame.put(pong, PingFrame.id(ByteBuffer.wrap(body)));
            try {
                send(pong.flip());
            } catch (IOException gone) {
                // The relay has closed: what it had to say is read all the same.
            }
        }
    }
}
