package dev.msgrelay.client.cli;

import dev.msgrelay.client.Publisher;
import dev.msgrelay.client.ReconnectingPublisher;
import dev.msgrelay.client.RelayPublisher;
import java.time.Duration;

/** Where {@code publish} publishes: over one plain connection, or by a publisher that connects again. */
interface Outlet {
    /** Who takes the messages. */
    Publisher publisher();

    /** Waits until everything is acknowledged, where that is promised, as long as there is progress within this time. */
    void settle(Duration stall) throws InterruptedException;

    /** Where the messages go, for people. */
    String taker();

    /** What was published, in one line. */
    String sum();

    static Outlet of(RelayPublisher publisher) {
        return new Outlet() {
            @Override
            public Publisher publisher() {
                return publisher;
            }

            @Override
            public void settle(Duration stall) {
                // Nothing is promised but sending, and that is what closing does.
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
        };
    }

    static Outlet of(ReconnectingPublisher publisher, boolean acks) {
        String what = acks ? " acknowledged" : " sent";
        return new Outlet() {
            @Override
            public Publisher publisher() {
                return publisher;
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
            public String taker() {
                return "the relay";
            }

            @Override
            public String sum() {
                return "published " + publisher.messages() + " messages, " + publisher.bytes() + " bytes; "
                        + publisher.acked() + " messages, " + publisher.ackedBytes() + " bytes" + what;
            }
        };
    }
}
