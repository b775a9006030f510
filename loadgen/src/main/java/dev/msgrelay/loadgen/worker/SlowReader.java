package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.BodyCheck;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SequenceCheck;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A subscriber that reads so many bytes a second and no more, and checks every message that it gets, and that every one that it
 * misses is told in a GAP, and no other.
 * Its thread owns it; {@link #result} is for who has stopped it.
 */
final class SlowReader implements Runnable, FrameConsumer, ReadableByteChannel {
    /** It reads so often, in pieces so small that its receive queue stays full between them. */
    private static final int READS_PER_SECOND = 50;

    private static final long JOIN_MILLIS = 2_000;

    private final SocketChannel channel;
    private final FrameReader reader;
    private final SequenceCheck check;
    private final BodyCheck bodies;
    private final ToldStream told = new ToldStream();
    private final int bytesPerRead;
    private final ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
    private final Thread thread;
    private long nextRead = System.nanoTime();
    private String error;
    private int errorCode;
    private volatile String closed;

    /**
     * @param publishers ids 0..publishers-1 are expected
     * @param sizes of their messages
     * @param name what it calls itself
     */
    SlowReader(SocketChannel channel, Policy policy, int bytesPerSecond, int publishers, SizeTable sizes, String name)
            throws IOException {
        this.channel = channel;
        this.bytesPerRead = Math.max(1, bytesPerSecond / READS_PER_SECOND);
        this.reader = new FrameReader(FrameReader.DEFAULT_BUFFER, FrameLayout.MAX_MAX_BODY);
        this.check = new SequenceCheck(publishers);
        this.bodies = new BodyCheck(sizes);
        channel.write(HelloFrame.subscriber().policy(policy).name(name).build().encode());
        thread = new Thread(this, name);
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (reader.read(this, this) >= 0) {
                // What is to be done is done in onFrame.
            }
            closed = error == null ? "closed by the relay" : error;
        } catch (ClosedChannelException e) {
            // stop() closed it.
        } catch (IOException | RuntimeException e) {
            closed = e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }

    /** Waits for its turn, and takes a piece. */
    @Override
    public int read(ByteBuffer target) throws IOException {
        long wait;
        while ((wait = nextRead - System.nanoTime()) > 0 && channel.isOpen()) {
            LockSupport.parkNanos(wait);
        }
        nextRead += TimeUnit.SECONDS.toNanos(1) / READS_PER_SECOND;
        int limit = target.limit();
        target.limit(Math.min(limit, target.position() + bytesPerRead));
        try {
            return channel.read(target);
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public void onFrame(int type, ByteBuffer body) {
        switch (type) {
            case ControlFrames.WELCOME -> told.welcome(welcome(body).next());
            case ControlFrames.GAP -> told.gap(GapFrame.from(body), GapFrame.to(body));
            case ControlFrames.PING -> {
                told.stands(PingFrame.next(body));
                answer(PingFrame.id(body));
            }
            case ControlFrames.ERROR -> {
                errorCode = ErrorFrame.code(body);
                error = ErrorFrame.text(body);
            }
            default -> {
                if (told.hasBegun() && !ControlFrames.isControl(type)) {
                    told.message();
                    onMessage(type, body);
                }
            }
        }
    }

    private void onMessage(int type, ByteBuffer body) {
        if (type != LoadMessage.TYPE) {
            return;
        }
        if (body.remaining() < LoadMessage.MIN_BODY) {
            bodies.onFragment();
            return;
        }
        long stamp = LoadMessage.stampAt(body, body.position());
        check.onMessage(stamp);
        bodies.onMessage(stamp, body);
    }

    private static WelcomeFrame welcome(ByteBuffer body) {
        try {
            return WelcomeFrame.decode(body);
        } catch (FrameException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private void answer(long id) {
        PongFrame.put(pong.clear(), id);
        try {
            channel.write(pong.flip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void stop() throws IOException, InterruptedException {
        channel.close();
        thread.join(JOIN_MILLIS);
        if (thread.isAlive()) {
            throw new IOException("slow subscriber's thread did not end within " + JOIN_MILLIS + " ms");
        }
    }

    JsonObject result() {
        JsonObject result = new JsonObject();
        result.put("messages", check.accepted());
        result.put("missed", told.missed());
        result.put("gaps", told.gaps());
        // A loss that shows before the GAP that tells it would be one that nobody told.
        result.put("untold", Math.max(0, check.lost() - told.missed()));
        result.put("untrue", told.untrue());
        result.put("duplicated", check.duplicated());
        result.put("reordered", check.reordered());
        result.put("corrupted", bodies.corrupted());
        result.put("closed", closed);
        result.put("closeReason", errorCode);
        return result;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
