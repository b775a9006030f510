package dev.msgrelay.client;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * A connection to a relay's publish port that batches by itself.
 *
 * <p>ACCEPTED and flushed means handed to the operating system, not received: a connection that fails may lose what was
 * under way. {@link #close} ends the stream in an orderly way and waits a moment (a second at most) for the relay to do the
 * same: a relay that objects to the last messages says so only then.
 */
public final class RelayPublisher extends Publisher {
    private final Endpoint endpoint;
    private final PublisherConfig config;
    private final SocketChannel channel;
    private final Selector selector;
    private final SendQueue queue;

    private RelayPublisher(
            Endpoint endpoint, PublisherConfig config, SocketChannel channel, Selector selector, SendQueue queue)
            throws IOException {
        super(queue, new Thread(new PublisherLoop(endpoint, channel, selector, queue), "relay-publisher " + endpoint));
        this.endpoint = endpoint;
        this.config = config;
        this.channel = channel;
        this.selector = selector;
        this.queue = queue;
    }

    /** Connects with the default settings. */
    public static RelayPublisher connect(Endpoint endpoint) throws IOException {
        return connect(endpoint, PublisherConfig.defaults());
    }

    /**
     * Connects.
     *
     * @throws IOException naming the endpoint and the cause
     */
    public static RelayPublisher connect(Endpoint endpoint, PublisherConfig config) throws IOException {
        SocketChannel channel = endpoint.open(config.connectTimeout());
        Selector selector = null;
        try {
            selector = Selector.open();
            SendQueue queue = new SendQueue(config.bufferSize(), selector::wakeup);
            RelayPublisher publisher = new RelayPublisher(endpoint, config, channel, selector, queue);
            publisher.start();
            return publisher;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            if (selector != null) {
                selector.close();
            }
            throw e;
        }
    }

    /**
     * Waits until every message accepted before this call was handed to the socket.
     *
     * @return false where the time ran out or the connection failed, see {@link #failure}
     */
    public boolean flush(Duration atMost) throws InterruptedException {
        return queue.awaitSent(Timeouts.deadline(atMost));
    }

    /** Where this publisher is connected to. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** How many of {@link #bytes} the socket has taken. */
    public long sentBytes() {
        return queue.sentBytes();
    }

    /** Writes to the socket so far: bytes a write is what batching is about. */
    public long writes() {
        return queue.writes();
    }

    @Override
    int maxBody() {
        return config.maxBody();
    }

    @Override
    Duration closeTimeout() {
        return config.closeTimeout();
    }

    @Override
    void abort() {
        try {
            channel.close();
        } catch (IOException e) {
            queue.fail(e);
        }
        selector.wakeup();
    }

    @Override
    String unsettled() {
        long unsent = queue.acceptedBytes() - queue.sentBytes();
        return unsent > 0 ? unsent + " bytes not sent to " + endpoint : null;
    }
}
