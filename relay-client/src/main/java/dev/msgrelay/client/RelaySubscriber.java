package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a relay's subscribe port: every message, in the relay's one total order, from the moment of connecting.
 *
 * <p>One thread owns a subscriber and calls {@link #poll} or {@link #run}; there is no thread behind it, and nothing is
 * allocated per message. {@link #close} and the counters may be called from any thread. After an exception the
 * connection is closed.
 *
 * <p>A control frame is no message: ERROR ends the connection with a {@link RelayErrorException}, one that must be
 * understood with a {@link FrameException}, any other is passed over.
 */
public final class RelaySubscriber implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelaySubscriber.class);

    private final Endpoint endpoint;
    private final SocketChannel channel;
    private final FrameReader reader;
    private final FrameConsumer filter = this::onFrame;

    // Owned by the polling thread.
    private FrameConsumer consumer;
    private IOException failure;
    private long passedOver;
    private long passedOverBytes;

    // Written by the polling thread once per read.
    private volatile long messages;
    private volatile long bytes;
    private volatile boolean closed;

    private RelaySubscriber(Endpoint endpoint, SocketChannel channel, SubscriberConfig config) {
        this.endpoint = endpoint;
        this.channel = channel;
        this.reader = new FrameReader(config.bufferSize(), config.maxBody());
    }

    /** Connects with the default settings. */
    public static RelaySubscriber connect(Endpoint endpoint) throws IOException {
        return connect(endpoint, SubscriberConfig.defaults());
    }

    /**
     * Connects.
     *
     * @throws IOException naming the endpoint and the cause
     */
    public static RelaySubscriber connect(Endpoint endpoint, SubscriberConfig config) throws IOException {
        SocketChannel channel = endpoint.open(config.connectTimeout());
        LOG.debug("subscribed to {}", endpoint);
        return new RelaySubscriber(endpoint, channel, config);
    }

    /**
     * Waits for the next bytes, reads once and hands every message that is now whole to the consumer. What the consumer
     * throws comes out of this method.
     *
     * @return the messages handed over, which may be none; -1 where the relay closed the connection between two
     *     messages, or {@link #close} was called
     * @throws RelayErrorException the relay ended the connection and said why
     * @throws FrameException the stream breaks the protocol
     * @throws java.io.EOFException the stream ended in the middle of a message
     * @throws IOException the connection was lost
     */
    public int poll(FrameConsumer messageConsumer) throws IOException {
        long before = messages;
        consumer = messageConsumer;
        int n;
        try {
            n = reader.read(channel, filter);
        } catch (ClosedChannelException e) {
            if (closed) {
                return -1;
            }
            throw e;
        } catch (IOException e) {
            count();
            closeChannel();
            // A relay that names the reason is worth more than how the stream ended after it.
            throw failure != null ? failure : e;
        }
        count();
        if (failure != null) {
            closeChannel();
            throw failure;
        }
        return n < 0 ? -1 : (int) (messages - before);
    }

    /** Polls until the relay closes the connection or {@link #close} is called; otherwise as {@link #poll}. */
    public void run(FrameConsumer messageConsumer) throws IOException {
        int n;
        do {
            n = poll(messageConsumer);
        } while (n >= 0);
    }

    /** Where this subscriber is connected to. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** Messages handed over so far, up to the last read. */
    public long messages() {
        return messages;
    }

    /** Bytes of these messages, headers included. */
    public long bytes() {
        return bytes;
    }

    /** Ends the connection, and with it a {@link #poll} that waits in another thread. Does nothing the second time. */
    @Override
    public void close() {
        closed = true;
        closeChannel();
    }

    private void onFrame(int type, ByteBuffer body) {
        if (ControlFrames.isControl(type) || failure != null) {
            onControlFrame(type, body);
        } else {
            consumer.onFrame(type, body);
        }
    }

    /** Also takes what comes after an ERROR: the relay has ended the connection by then, whatever it says. */
    private void onControlFrame(int type, ByteBuffer body) {
        passedOver++;
        passedOverBytes += FrameLayout.frameLength(body.remaining());
        if (failure != null) {
            return;
        }
        if (type == ControlFrames.ERROR) {
            failure = RelayErrorException.of(body);
        } else if (ControlFrames.mustUnderstand(type)) {
            failure = new FrameException(CloseReason.UNSUPPORTED, ControlFrames.name(type) + " is not known here");
        }
    }

    private void count() {
        messages = reader.frames() - passedOver;
        bytes = reader.bytes() - reader.pending() - passedOverBytes;
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing the connection to {}", endpoint, e);
        }
    }
}
