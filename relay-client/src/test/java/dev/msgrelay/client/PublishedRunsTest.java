package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.ack;
import static dev.msgrelay.client.Frames.frame;
import static dev.msgrelay.client.Frames.joined;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.welcomePublisher;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs of messages: published as a whole or not at all, and single messages from then on. */
@SuppressWarnings("try") // closing early is what is tested
class PublishedRunsTest extends ScriptedPublishing {
    private final CountDownLatch welcomed = new CountDownLatch(1);

    /**
     * Says WELCOME when the test says so: until then the buffer fills. Acknowledges each of these counts of messages as
     * soon as it has them.
     */
    private Script late(int... counts) {
        return client -> {
            client.hello();
            welcomed.await();
            client.send(welcomePublisher(0));
            int had = 0;
            for (int count : counts) {
                take(client, count - had);
                client.send(ack(count, count));
                had = count;
            }
            client.drain();
        };
    }

    private static ByteBuffer run(String... bodies) {
        ByteBuffer[] frames = new ByteBuffer[bodies.length];
        for (int i = 0; i < bodies.length; i++) {
            frames[i] = message(2, bodies[i]);
        }
        return joined(frames);
    }

    @Test
    void runsAndSingleMessagesKeepTheirOrder() throws Exception {
        welcomed.countDown();
        try (ScriptedRelay relay = ScriptedRelay.of(late(5));
                RelayPublisher publisher = open(acked(relay))) {
            publish(publisher, "a");
            ByteBuffer padded = ByteBuffer.allocateDirect(50).position(3);
            padded.put(run("b", "", "cc")).flip().position(3).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(publisher.publishRun(padded)).isSameAs(PublishOutcome.ACCEPTED);
            assertThat(padded.position()).isEqualTo(3);
            assertThat(padded.remaining()).isEqualTo(27);
            assertThat(publisher.publishRun(ByteBuffer.allocate(0))).isSameAs(PublishOutcome.ACCEPTED);
            settle(publisher, "d");
            assertThat(got).containsExactly("1:a", "2:b", "2:", "2:cc", "1:d");
            assertThat(publisher.messages()).isEqualTo(5);
            assertThat(publisher.bytes()).isEqualTo(5 * 8 + 5);
            assertThat(publisher.settled()).isEqualTo(5);
            assertThat(acks).containsExactly("5@5");
        }
    }

    @Test
    void aRunOfWhichOnlyAPartFitsIsNotTaken() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(late(5, 6));
                RelayPublisher publisher = open(acked(relay).maxBody(20).bufferSize(50))) {
            ByteBuffer three = run("a", "b", "c");
            assertThat(publisher.publishRun(three)).isSameAs(PublishOutcome.ACCEPTED);
            assertThat(publisher.publishRun(three)).isSameAs(PublishOutcome.FULL);
            assertThat(publisher.publishRun(three, SHORT)).isSameAs(PublishOutcome.FULL);
            assertThat(publisher.messages()).isEqualTo(3);
            assertThat(publisher.publishRun(run("12345", "")).name())
                    .as("the rest of the buffer, but for two bytes")
                    .isEqualTo("ACCEPTED");
            welcomed.countDown();
            assertThat(publisher.publishRun(run("last"), LONG)).isSameAs(PublishOutcome.ACCEPTED);
            publisher.flush(LONG);
            assertThat(got).containsExactly("2:a", "2:b", "2:c", "2:12345", "2:", "2:last");
        }
    }

    @Test
    void aRunThatWaitsIsRefusedByClose() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(Peer::drain);
                RelayPublisher publisher =
                        open(acked(relay).closeTimeout(SHORT).maxBody(10).bufferSize(18))) {
            ByteBuffer both = run("1", "2");
            CompletableFuture<PublishOutcome> waiting = new CompletableFuture<>();
            assertThat(publisher.publishRun(both)).isSameAs(PublishOutcome.ACCEPTED);
            Thread thread = new Thread(() -> {
                try {
                    waiting.complete(publisher.publishRun(both, LONG));
                } catch (InterruptedException e) {
                    waiting.completeExceptionally(e);
                }
            });
            thread.start();
            badEnd(publisher);
            assertThat(waiting.get(120, TimeUnit.SECONDS)).isSameAs(PublishOutcome.CLOSED);
            assertThat(publisher.publishRun(both)).isSameAs(PublishOutcome.CLOSED);
            assertThat(publisher.publishRun(both.limit(0))).isSameAs(PublishOutcome.CLOSED);
            assertThat(publisher.messages()).isEqualTo(2);
        }
    }

    /** Acknowledged in the middle of a run: the rest is sent once more, and the numbers go on. */
    @Test
    void aNewConnectionGetsTheRestOfARun() throws Exception {
        Script half = client -> {
            takeAll(client, 0, 3);
            client.send(ack(2, 2));
        };
        Script rest = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            client.send(welcomePublisher(2));
            take(client, 3);
            client.send(ack(5, 5));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(half, rest);
                RelayPublisher publisher = open(acked(relay))) {
            assertThat(publisher.publishRun(run("a", "b", "c", "d", "e"))).isSameAs(PublishOutcome.ACCEPTED);
            publisher.flush(LONG);
            assertThat(got).containsExactly("2:a", "2:b", "2:c", "2:c", "2:d", "2:e");
            assertThat(acks).containsExactly("2@2", "5@5");
        }
    }

    @Test
    void whatIsNoRunIsNamedAndTakesNothing() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(Peer::drain);
                RelayPublisher publisher =
                        open(acked(relay).closeTimeout(SHORT).maxBody(20).bufferSize(60))) {
            assertRefused(publisher, run("a", "123456789012345678901"), "body of 21 bytes is over the limit of 20");
            assertRefused(publisher, joined(message(1, "a"), frame(ControlFrames.PING)), "type 0x80000004 is reserved");
            assertRefused(publisher, run("a", "b").limit(17), "the run does not end with a whole frame: its last 8");
            assertRefused(publisher, run("a", "b").limit(12), "the run does not end with a whole frame: its last 3");
            assertRefused(publisher, run("a").putInt(4, -1), "negative body length -1");
            assertRefused(
                    publisher,
                    run("1234567890", "1234567890", "1234567890", "1234567890"),
                    "run of 72 bytes is over the buffer of 60");
        }
    }

    private static void assertRefused(RelayPublisher publisher, ByteBuffer frames, String words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> publisher.publishRun(frames))
                .withMessageContaining(words);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> publisher.publishRun(frames, LONG))
                .withMessageContaining(words);
        assertThat(publisher.messages()).isZero();
    }

    /** The longest body, with a message before it: exactly the buffer. */
    @Test
    void theLongestBodyGoesInARun() throws Exception {
        welcomed.countDown();
        String longest = String.join("", Collections.nCopies(1 << 20, "x"));
        try (ScriptedRelay relay = ScriptedRelay.of(late(2, 3));
                RelayPublisher publisher = open(acked(relay).bufferSize((1 << 20) + 17))) {
            assertThat(publisher.publishRun(run("1", longest))).isSameAs(PublishOutcome.ACCEPTED);
            assertThat(publisher.publishRun(run("2"), LONG)).isSameAs(PublishOutcome.ACCEPTED);
            publisher.flush(LONG);
            assertThat(got).containsExactly("2:1", "2:" + longest, "2:2");
        }
    }

    @Test
    void publishingRunsAllocatesNothing() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int count = 20_000;
        try (ScriptedRelay relay = ScriptedRelay.of(client -> Frames.readAll(client.channel(), (type, body) -> {}));
                RelayPublisher publisher =
                        open(PublisherOptions.builder(relay.endpoint()).plain())) {
            ByteBuffer run = run("a", "b", "c");
            publishRuns(publisher, run, 2000);
            long before = threads.getCurrentThreadAllocatedBytes();
            publishRuns(publisher, run, count);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes for %d runs", count).isLessThan(count);
        }
    }

    private static void publishRuns(RelayPublisher publisher, ByteBuffer run, int count) {
        for (int i = 0; i < count; i++) {
            while (publisher.publishRun(run) == PublishOutcome.FULL) {
                Thread.onSpinWait();
            }
        }
    }
}
