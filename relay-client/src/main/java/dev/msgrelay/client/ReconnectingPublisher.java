package dev.msgrelay.client;

import java.io.IOException;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * A publisher that outlives its connections. With acknowledgements it keeps each message until the relay has said that it
 * is in the stream, and sends again what it has not: no loss and no duplicate across a cut connection. Without them it
 * tells with {@link SessionEvent.InDoubt} what may be lost.
 *
 * <p>It works while there is no connection: a thread of its own connects, sends and listens. {@link #close} waits until all
 * messages are acknowledged, over new connections if need be; without acknowledgements until they are handed to a socket.
 */
public final class ReconnectingPublisher extends Publisher {
    private final PublisherOptions options;
    private final SendQueue queue;
    private final PublisherSession session;

    private ReconnectingPublisher(PublisherOptions options, SendQueue queue, PublisherSession session) {
        super(queue, new Thread(session, "relay-publisher " + options.name()));
        this.options = options;
        this.queue = queue;
        this.session = session;
    }

    /**
     * Starts; the first connection is made meanwhile, and its failure is told by the listener and {@link #failure}.
     *
     * @throws IOException the system gives no selector
     */
    public static ReconnectingPublisher open(PublisherOptions options) throws IOException {
        Selector selector = Selector.open();
        try {
            SendQueue queue = new SendQueue(options.connection().bufferSize(), selector::wakeup);
            LongSupplier clock = System::nanoTime;
            LinkOptions link = options.link();
            Reconnector reconnector =
                    new Reconnector(link.endpoints(), link.reconnect(), new SplittableRandom(), clock);
            PublisherSession session = new PublisherSession(options, selector, queue, reconnector, clock);
            ReconnectingPublisher publisher = new ReconnectingPublisher(options, queue, session);
            publisher.start();
            return publisher;
        } catch (RuntimeException | Error e) {
            selector.close();
            throw e;
        }
    }

    /**
     * Waits until every message accepted before this call is acknowledged, and the listener has been told; without
     * acknowledgements, until it was handed to a socket.
     *
     * @return false where the time ran out or the publisher has failed, see {@link #failure}
     */
    public boolean awaitAcked(Duration atMost) throws InterruptedException {
        return queue.awaitForgotten(Timeouts.deadline(atMost));
    }

    /** How many of {@link #messages} are acknowledged; without acknowledgements, handed to a socket. */
    public long acked() {
        return queue.forgottenMessages();
    }

    /** Bytes of {@link #acked}. */
    public long ackedBytes() {
        return queue.sentBytes();
    }

    /**
     * Number of this publisher's first message in the relay's count of its name: the n-th message accepted has the
     * number {@code firstNumber() + n - 1}. 0 before the first connection, and without acknowledgements.
     */
    public long firstNumber() {
        return session.stream().firstNumber();
    }

    @Override
    int maxBody() {
        return session.stream().maxBody();
    }

    @Override
    Duration closeTimeout() {
        return options.connection().closeTimeout();
    }

    @Override
    void abort() {
        session.abort();
    }

    @Override
    String unsettled() {
        long kept = messages() - acked();
        return kept > 0 ? kept + (options.acks() ? " messages not acknowledged" : " messages not sent") : null;
    }
}
