package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One connection that publishes under one publisher id. Owned by one thread at a time; {@link #messages} and {@link
 * #bytes} may be asked by any.
 */
final class PublishConnection implements AutoCloseable {
    private static final long NOT_YET = -1;

    private final int id;
    private final SocketChannel channel;
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private long messagesAtBegin = NOT_YET;
    private long bytesAtBegin;
    private long messagesAtEnd = NOT_YET;
    private long bytesAtEnd;

    PublishConnection(int id, SocketChannel channel) {
        this.id = id;
        this.channel = channel;
    }

    int id() {
        return id;
    }

    SocketChannel channel() {
        return channel;
    }

    /**
     * Sends one message on its own, ahead of the run, so that subscribers hear of this publisher.
     *
     * @param batch to pack it in, empty
     */
    void prime(FrameBatch batch, long nowNanos) throws IOException {
        batch.add(LoadMessage.stamp(id, messages.get()), nowNanos);
        write(batch.take(), messages.get() + 1);
    }

    /**
     * Writes all of {@code source}, blocking.
     *
     * @param messagesThen messages that have been sent when that is done
     */
    void write(ByteBuffer source, long messagesThen) throws IOException {
        int length = source.remaining();
        try {
            while (source.hasRemaining()) {
                channel.write(source);
            }
        } catch (IOException e) {
            throw new IOException("publisher " + id + ": " + e.getMessage() + reasonGiven(), e);
        }
        // One writer: an ordered store is enough, and costs nothing.
        messages.lazySet(messagesThen);
        bytes.lazySet(bytes.get() + length);
    }

    /** The measured part of the run has begun: what is sent from now on counts. To be told at every write from then. */
    void noteBegin() {
        if (messagesAtBegin == NOT_YET) {
            messagesAtBegin = messages.get();
            bytesAtBegin = bytes.get();
        }
    }

    /** The measured part of the run is over: what is sent from now on does not count any more. Told again, it is nothing. */
    void noteEnd() {
        noteBegin();
        if (messagesAtEnd == NOT_YET) {
            messagesAtEnd = messages.get();
            bytesAtEnd = bytes.get();
        }
    }

    /** Messages sent since {@link #noteBegin}, until {@link #noteEnd} where that was told. */
    long messagesMeasured() {
        return messagesAtBegin == NOT_YET
                ? 0
                : (messagesAtEnd == NOT_YET ? messages.get() : messagesAtEnd) - messagesAtBegin;
    }

    /** Bytes on the wire likewise. */
    long bytesMeasured() {
        return messagesAtBegin == NOT_YET ? 0 : (messagesAtEnd == NOT_YET ? bytes.get() : bytesAtEnd) - bytesAtBegin;
    }

    /** Messages sent, and the number of the next one. */
    long messages() {
        return messages.get();
    }

    long bytes() {
        return bytes.get();
    }

    /** What the relay said before it closed, if it said anything. */
    private String reasonGiven() {
        StringBuilder reason = new StringBuilder();
        try {
            channel.configureBlocking(false);
            new FrameReader().read(channel, (type, body) -> {
                if (type == ControlFrames.ERROR) {
                    reason.append("; the relay said: ").append(ErrorFrame.text(body));
                }
            });
        } catch (IOException e) {
            // The connection is gone, and with it whatever was said.
        }
        return reason.toString();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
