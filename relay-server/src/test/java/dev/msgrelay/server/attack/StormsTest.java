package dev.msgrelay.server.attack;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Connections that come at once and leave without a word: the pair beside them loses nothing. */
class StormsTest {
    private static final int STORMS = 2;
    private static final int EACH = 100;
    private static final int BODY = 300;
    private static final int WHOLE = 3;

    @Test
    void allComeAtOnceAndLeaveInTheMiddleOfAMessage() throws Exception {
        try (Attack attack = new Attack(b -> b)) {
            attack.pair.begin();
            for (int storm = 0; storm < STORMS; storm++) {
                int first = HealthyPair.FIRST_OTHER + storm * EACH;
                try (Crowd publishers = new Crowd().connect(attack.relay.publish(), EACH);
                        Crowd subscribers = new Crowd().connect(attack.relay.subscribe(), EACH)) {
                    attack.relay.awaitPublishers(HealthyPair.PUBLISHERS + EACH);
                    attack.relay.awaitSubscribers(1 + EACH);
                    for (int i = 0; i < EACH; i++) {
                        send(publishers.get(i), first + i);
                    }
                    attack.pair.push(1 << 20);
                    for (int i = 0; i < EACH; i++) {
                        readPart(subscribers.get(i));
                    }
                    Await.until(
                            "the whole messages of the storm",
                            () -> IntStream.range(first, first + EACH)
                                            .map(attack.pair.received()::countOf)
                                            .sum()
                                    == EACH * WHOLE);
                }
                attack.relay.awaitPublishers(HealthyPair.PUBLISHERS);
                attack.relay.awaitSubscribers(1);
            }
            attack.end(STORMS + " storms of " + 2 * EACH + " connections");
            attack.pair.finish();
        }
    }

    private static void send(SocketChannel channel, int publisher) {
        Frames frames = new Frames();
        for (int i = 0; i < WHOLE; i++) {
            frames.frame(Frames.type(publisher, i), BODY);
        }
        frames.header(Frames.type(publisher, WHOLE), BODY).raw(new byte[BODY / 2]);
        ByteBuffer bytes = frames.buffer();
        Await.until("all is sent", () -> Crowd.offer(channel, bytes));
    }

    /** So few bytes that the last message is cut. */
    private static void readPart(SocketChannel channel) {
        ByteBuffer part = ByteBuffer.allocate(5);
        Await.until("something comes", () -> {
            try {
                channel.read(part);
            } catch (IOException e) {
                throw new AssertionError("the relay ended a visitor's connection", e);
            }
            return !part.hasRemaining();
        });
    }
}
