package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SequenceCheck;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PongFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A subscriber that reads so many bytes a second and no more, and checks that every message it misses is told in a GAP.
 * Its thread owns it; {@link #result} is for who has stopped it.
 */
final class SlowReader implements Runnable, FrameConsumer, ReadableByteChannel {
    /** It reads so often: in pieces of a twentieth of what it reads in a second. */
    private static final int READS_PER_SECOND = 20;

    private static final long JOIN_MILLIS = 2_000;

    private final SocketChannel channel;
    private final FrameReader reader;
    private final SequenceCheck check;
    private final int bytesPerRead;
    private final ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
    private final Thread thread;
    private boolean welcome;
    private long nextRead = System.nanoTime();
    private long missed;
    private long gaps;
    private String error;
    private int errorCode;
    private volatile String closed;

    /**
     * @param publishers ids 0..publishers-1 are expected
     * @param name what it calls itself
     */
    SlowReader(SocketChannel channel, Policy policy, int bytesPerSecond, int publishers, String name)
            throws IOException {
        this.channel = channel;
        this.bytesPerRead = Math.max(1, bytesPerSecond / READS_PER_SECOND);
        this.reader = new FrameReader(FrameReader.DEFAULT_BUFFER, FrameLayout.MAX_MAX_BODY);
        this.check = new SequenceCheck(publishers);
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
            case LoadMessage.TYPE -> {
                if (welcome) {
                    check.onMessage(LoadMessage.stampAt(body, body.position()));
                }
            }
            case ControlFrames.WELCOME -> welcome = true;
            case ControlFrames.GAP -> {
                missed += GapFrame.to(body) - GapFrame.from(body) + 1;
                gaps++;
            }
            case ControlFrames.PING -> answer(PingFrame.id(body));
            case ControlFrames.ERROR -> {
                errorCode = ErrorFrame.code(body);
                error = ErrorFrame.text(body);
            }
            default -> {}
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
        result.put("missed", missed);
        result.put("gaps", gaps);
        // A loss that shows before the GAP that tells it would be one that nobody told.
        result.put("untold", Math.max(0, check.lost() - missed));
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
