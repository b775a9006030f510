package dev.msgrelay.server.attack;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.TestRelay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

/** Connections that come at once, or one after the other, and leave without a word: the pair beside them loses nothing. */
class StormsTest {
    private static final int STORMS = 2;
    private static final int EACH = 100;
    private static final int VISITS = 100;
    private static final int BODY = 300;
    private static final int WHOLE = 3;

    /** 200 are open at once; each publisher leaves within a message, each subscriber within what it is sent. */
    @Test
    void allComeAtOnceAndLeaveInTheMiddleOfAMessage() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.begin();
            for (int storm = 0; storm < STORMS; storm++) {
                try (Crowd publishers = new Crowd();
                        Crowd subscribers = new Crowd()) {
                    publishers.connect(relay.publish(), EACH);
                    subscribers.connect(relay.subscribe(), EACH);
                    relay.awaitPublishers(HealthyPair.PUBLISHERS + EACH);
                    relay.awaitSubscribers(1 + EACH);
                    int first = HealthyPair.FIRST_OTHER + storm * EACH;
                    for (int i = 0; i < EACH; i++) {
                        send(publishers.get(i), first + i);
                    }
                    pair.push(1 << 20);
                    for (int i = 0; i < EACH; i++) {
                        readPart(subscribers.get(i));
                    }
                    int last = first;
                    Await.until("the whole messages of the storm", () -> arrived(pair, last) == EACH * WHOLE);
                }
                relay.awaitPublishers(HealthyPair.PUBLISHERS);
                relay.awaitSubscribers(1);
            }
            pair.end(STORMS + " storms of " + 2 * EACH + " connections");
            AttackRelay.assertNoFault(relay);
            pair.finish();
        }
    }

    /** Each is gone before the next one comes, while the pair's messages flow. */
    @Test
    void oneAfterTheOtherComesAndGoes() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.begin();
            for (int visit = 0; visit < VISITS; visit++) {
                int publisher = HealthyPair.FIRST_OTHER + visit;
                try (Crowd visitors = new Crowd()) {
                    SocketChannel subscriber = visitors.connect(relay.subscribe());
                    relay.awaitSubscribers(2);
                    send(visitors.connect(relay.publish()), publisher);
                    readPart(subscriber);
                    Await.until("its whole messages", () -> pair.received().countOf(publisher) == WHOLE);
                }
                relay.awaitPublishers(HealthyPair.PUBLISHERS);
                relay.awaitSubscribers(1);
            }
            pair.end(VISITS + " visits");
            AttackRelay.assertNoFault(relay);
            pair.finish();
        }
    }

    /** Some whole messages, and the first half of one more. */
    private static void send(SocketChannel channel, int publisher) {
        Frames frames = new Frames();
        for (int i = 0; i < WHOLE; i++) {
            frames.frame(Frames.type(publisher, i), BODY);
        }
        frames.header(Frames.type(publisher, WHOLE), BODY).raw(new byte[BODY / 2]);
        ByteBuffer bytes = ByteBuffer.wrap(frames.bytes());
        Await.until("all is sent", () -> Crowd.offer(channel, bytes));
    }

    /** So few bytes that the last message is cut. */
    private static void readPart(SocketChannel channel) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(5);
        Await.until("something comes", () -> read(channel, part));
    }

    private static boolean read(SocketChannel channel, ByteBuffer part) {
        try {
            channel.read(part);
            return !part.hasRemaining();
        } catch (IOException e) {
            throw new AssertionError("the relay ended a visitor's connection", e);
        }
    }

    private static int arrived(HealthyPair pair, int first) {
        int arrived = 0;
        for (int i = 0; i < EACH; i++) {
            arrived += pair.received().countOf(first + i);
        }
        return arrived;
    }
}
