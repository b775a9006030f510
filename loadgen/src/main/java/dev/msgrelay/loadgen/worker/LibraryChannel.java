package dev.msgrelay.loadgen.worker;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayErrorException;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ByteChannel;
import java.nio.channels.NonWritableChannelException;

/**
 * A subscriber of module relay-client in the form of a channel. Its messages are packed into frames again, so that the
 * same code measures and checks connections with and without the library.
 *
 * <pre>
 *  socket -&gt; RelaySubscriber -&gt; message (sequence, type, body) -&gt; frames -&gt; FrameReader -&gt; Verifier
 *                            -&gt; gap                            -&gt; GAP
 * </pre>
 *
 * This class checks the sequence numbers that the library returns: only a gap may skip numbers. In the frames, the
 * sequence starts at 1, as on a connection without HELLO. The subscriber's thread owns the channel; any thread may call
 * {@link #close}.
 */
final class LibraryChannel implements ByteChannel {
    private final RelaySubscriber subscriber;
    private ByteBuffer frames;
    private long nextSequence;
    private long handed;
    private boolean ended;
    private volatile boolean closed;

    LibraryChannel(SubscriberOptions.Builder options, int bufferSize) throws IOException {
        this.frames = ByteBuffer.allocate(bufferSize);
        this.subscriber = RelaySubscriber.connect(
                options.bufferSize(bufferSize).onGap(this::onGap).build());
        while (subscriber.epoch() == 0 && poll() >= 0) {
            // Polls until WELCOME has arrived. Messages that are published before WELCOME may be missing.
        }
        frames.flip();
    }

    /** Returns options without reconnection, since a run must report the end of the first connection. */
    static SubscriberOptions.Builder options(Endpoint relay, Access access, Policy policy) throws IOException {
        SubscriberOptions.Builder options = access.to(SubscriberOptions.builder(relay)
                .reconnect(ReconnectPolicy.none())
                .connectTimeout(Sockets.CONNECT_TIMEOUT)
                .handshakeTimeout(Sockets.CONNECT_TIMEOUT));
        return policy == null ? options : options.policy(policy);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        while (!frames.hasRemaining()) {
            frames.clear();
            int messages = ended ? -1 : poll();
            frames.flip();
            if (closed) {
                throw new AsynchronousCloseException();
            }
            if (messages < 0) {
                return -1;
            }
        }
        int length = Math.min(frames.remaining(), target.remaining());
        target.put(target.position(), frames, frames.position(), length);
        target.position(target.position() + length);
        frames.position(frames.position() + length);
        return length;
    }

    /** Polls for messages. An ERROR frame of the relay is appended as the last frame. */
    private int poll() throws IOException {
        try {
            return subscriber.poll(this::onMessage);
        } catch (RelayErrorException e) {
            if (subscriber.epoch() == 0 || e.reason() == null) {
                throw e;
            }
            ended = true;
            ByteBuffer error = ErrorFrame.encode(e.reason(), e.text());
            makeRoom(error.remaining());
            frames.put(error);
            return 0;
        }
    }

    private void onMessage(long sequence, int type, ByteBuffer body) {
        if (nextSequence != 0 && sequence != nextSequence) {
            throw new IllegalStateException(
                    "the library told sequence " + sequence + " where " + nextSequence + " was to come");
        }
        nextSequence = sequence + 1;
        handed++;
        int length = FrameLayout.frameLength(body.remaining());
        makeRoom(length);
        FrameLayout.putHeader(frames, frames.position(), type, body.remaining());
        frames.position(frames.position() + FrameLayout.HEADER_LENGTH);
        frames.put(body.duplicate());
    }

    private void onGap(Gap gap) {
        if (gap.reason() == null) {
            throw new IllegalStateException(gap.text());
        }
        makeRoom(GapFrame.FRAME_LENGTH);
        GapFrame.put(frames, handed + 1, handed + gap.count(), gap.reason());
        handed += gap.count();
        nextSequence = gap.to() + 1;
    }

    private void makeRoom(int length) {
        if (frames.remaining() < length) {
            ByteBuffer larger = ByteBuffer.allocate(Math.max(2 * frames.capacity(), frames.position() + length));
            frames = larger.put(frames.flip());
        }
    }

    @Override
    public int write(ByteBuffer source) {
        throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
        subscriber.close();
    }
}
