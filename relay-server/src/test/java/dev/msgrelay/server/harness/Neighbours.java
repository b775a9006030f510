package dev.msgrelay.server.harness;

import java.io.IOException;

/** A plain publisher and a plain subscriber that get on with their work while others misbehave. */
public final class Neighbours implements AutoCloseable {
    private final PlainSubscriber subscriber;
    private final PlainPublisher publisher;
    private int sent;

    public Neighbours(TestRelay relay) throws IOException {
        subscriber = relay.subscriber();
        int before = relay.stats().publishers();
        publisher = relay.publisher();
        relay.awaitPublishers(before + 1);
        assertUnaffected();
    }

    /** Fails unless everything that is sent arrives, as it was sent. */
    public void assertUnaffected() throws IOException {
        for (int i = 0; i < 20; i++) {
            publisher.send(new Frames().frame(Frames.type(0, sent), sent % 300));
            sent++;
        }
        subscriber.awaitMessages(sent).received().assertAllOf(sent);
        if (subscriber.end() != null) {
            throw new AssertionError("the subscriber has ended: " + subscriber.end());
        }
    }

    @Override
    public void close() throws IOException {
        subscriber.close();
        publisher.close();
    }
}
