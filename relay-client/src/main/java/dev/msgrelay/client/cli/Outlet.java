package dev.msgrelay.client.cli;

import dev.msgrelay.client.PublishOutcome;
import dev.msgrelay.client.ReconnectingPublisher;
import dev.msgrelay.client.RelayPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Where {@code publish} publishes: over one plain connection, or by a publisher that connects again. */
interface Outlet extends AutoCloseable {
    /** Publishes one message, and waits for room for as long as this. */
    PublishOutcome publish(int type, byte[] array, int offset, int length, Duration atMost) throws InterruptedException;

    /** Waits until everything is acknowledged, where that is promised, as long as there is progress within this time. */
    void settle(Duration stall) throws InterruptedException;

    /** Why no more is taken; empty while all is well. */
    Optional<IOException> failure();

    /** Who takes the messages, for people. */
    String taker();

    /** What was published, in one line. */
    String sum();

    /** Takes no more, and sends what is left, in bounded time. */
    @Override
    void close();

    static Outlet of(RelayPublisher publisher) {
        return new Outlet() {
            @Override
            public PublishOutcome publish(int type, byte[] array, int offset, int length, Duration atMost)
                    throws InterruptedException {
                return publisher.publish(type, array, offset, length, atMost);
            }

            @Override
            public void settle(Duration stall) {
                // Nothing is promised but sending, and that is what closing does.
            }

            @Override
            public Optional<IOException> failure() {
                return publisher.failure();
            }

            @Override
            public String taker() {
                return "the relay at " + publisher.endpoint();
            }

            @Override
            public String sum() {
                return "published " + publisher.messages() + " messages, " + publisher.sentBytes() + " of "
                        + publisher.bytes() + " bytes sent to " + publisher.endpoint();
            }

            @Override
            public void close() {
                publisher.close();
            }
        };
    }

    static Outlet of(ReconnectingPublisher publisher, boolean acks) {
        String what = acks ? " acknowledged" : " sent";
        return new Outlet() {
            @Override
            public PublishOutcome publish(int type, byte[] array, int offset, int length, Duration atMost)
                    throws InterruptedException {
                return publisher.publish(type, array, offset, length, atMost);
            }

            @Override
            public void settle(Duration stall) throws InterruptedException {
                long before;
                do {
                    before = publisher.acked();
                } while (!publisher.awaitAcked(stall)
                        && publisher.acked() > before
                        && publisher.failure().isEmpty());
            }

            @Override
            public Optional<IOException> failure() {
                return publisher.failure();
            }

            @Override
            public String taker() {
                return "the relay";
            }

            @Override
            public String sum() {
                return "published " + publisher.messages() + " messages, " + publisher.bytes() + " bytes; "
                        + publisher.acked() + " messages, " + publisher.ackedBytes() + " bytes" + what;
            }

            @Override
            public void close() {
                publisher.close();
            }
        };
    }
}
