package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Publishers with HELLO and without acknowledgements: done is what the relay has read. The kit has more cases. */
@SuppressWarnings("try") // closing early is what is tested
class ConfirmedPublisherTest extends ScriptedPublishing {
    private final CountDownLatch go = new CountDownLatch(1);

    private PublisherOptions.Builder to(ScriptedRelay relay) {
        return patient(relay).onEvent(this::note);
    }

    private static void pong(Peer client) throws IOException {
        client.send("PONG id=" + PingFrame.id(client.expect(ControlFrames.PING)));
    }

    /** Takes messages, and answers nothing; until the client has gone. */
    private void takeInSilence(Peer client, int messages) throws IOException {
        takeAll(client, 0, messages);
        client.drain();
    }

    @Test
    void flushesAtTheSameTimeShareAPing() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 0, 2);
                    pong(client);
                    assertThat(client.next()).as("another PING").isNull();
                });
                RelayPublisher publisher = open(to(relay))) {
            publish(publisher, "a", "b");
            CompletableFuture<?>[] flushes = new CompletableFuture<?>[4];
            for (int i = 0; i < flushes.length; i++) {
                flushes[i] = flushing(publisher, LONG).future();
            }
            CompletableFuture.allOf(flushes).get(120, TimeUnit.SECONDS);
            assertThat(publisher.confirmed()).isEqualTo(2);
            publisher.close();
            relay.await();
        }
    }

    @Test
    void everyFlushThatWaitsHearsOfALostConnection() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                        client -> {
                            takeAll(client, 0, 2);
                            client.expect(ControlFrames.PING);
                            go.await();
                        },
                        client -> takeInSilence(client, 0));
                RelayPublisher publisher = open(to(relay))) {
            publish(publisher, "a", "b");
            Flushing one = flushing(publisher, LONG);
            Flushing two = flushing(publisher, LONG);
            one.awaitWaiting();
            two.awaitWaiting();
            go.countDown();
            assertThat(one.future().get(120, TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(two.future().get(120, TimeUnit.SECONDS)).isEqualTo(2);
            publisher.flush(LONG);
            publisher.close();
            assertThat(events(SessionEvent.InDoubt.class))
                    .containsExactly(new SessionEvent.InDoubt(relay.endpoint(), 2, 18));
        }
    }

    @Test
    void aFlushThatIsInterruptedHasToldNothing() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                        client -> {
                            takeAll(client, 0, 1);
                            client.expect(ControlFrames.PING);
                            go.await();
                        },
                        client -> takeInSilence(client, 0));
                RelayPublisher publisher = open(to(relay))) {
            publish(publisher, "a");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> publisher.flush(LONG)).isInstanceOf(InterruptedException.class);
            go.countDown();
            assertThat(unflushed(publisher, LONG)).returns(1L, PublishException::unsettled);
            publisher.flush(LONG);
            publisher.close();
        }
    }

    @Test
    void aRelayThatAnswersNoPingLeavesAllInDoubt() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> takeInSilence(client, 2));
                RelayPublisher publisher = open(to(relay).closeTimeout(SHORT))) {
            publish(publisher, "a", "b");
            // What is not sent yet is told as that.
            while (publisher.settled() < 2) {
                Thread.onSpinWait();
            }
            assertThat(unflushed(publisher, SHORT))
                    .hasMessage("2 sent, 2 in doubt: the relay has not confirmed them")
                    .returns(2L, PublishException::unsettled);
            assertThat(badEnd(publisher))
                    .hasMessage("closed with 2 sent, 2 in doubt: the relay has not confirmed them: 100 ms were over")
                    .returns(2L, PublishException::unsettled);
            publisher.close();
            assertThat(publisher.settled()).isEqualTo(2);
            assertThat(publisher.confirmed()).isZero();
        }
    }

    @Test
    void aRelayThatIsGoneLeavesWhatWasNotSentToo() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> takeAll(client, 0, 1));
                RelayPublisher publisher = open(to(relay).closeTimeout(SHORT))) {
            publish(publisher, "a");
            relay.await();
            while (events(SessionEvent.InDoubt.class).isEmpty()) {
                Thread.onSpinWait();
            }
            publish(publisher, "b");
            assertThat(badEnd(publisher))
                    .hasMessageStartingWith(
                            "closed with 1 of 2 sent, 2 in doubt: the relay has not confirmed them: 100 ms")
                    .returns(2L, PublishException::unsettled);
        }
    }

    /** A relay that refuses for good: the reason reaches the flush, and not only the number. */
    @Test
    void aFlushThatWaitsHearsWhyThePublisherHasFailed() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 0, 1);
                    client.expect(ControlFrames.PING);
                    client.send(ErrorFrame.encode(CloseReason.NOT_PERMITTED, "type 1"));
                    client.drain();
                });
                RelayPublisher publisher = open(to(relay))) {
            publish(publisher, "a");
            assertThat(unflushed(publisher, LONG))
                    .returns(1L, PublishException::unsettled)
                    .hasMessageStartingWith("1 sent, 1 in doubt: the relay has not confirmed it: the relay ended")
                    .hasMessageEndingWith("type 1");
            publisher.close();
        }
    }

    @Test
    void closeFreesAFlushThatWaits() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> takeInSilence(client, 1));
                RelayPublisher publisher = open(to(relay).closeTimeout(SHORT))) {
            publish(publisher, "a");
            Flushing flush = flushing(publisher, LONG);
            flush.awaitWaiting();
            badEnd(publisher);
            assertThat(flush.future().get(120, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    /** What cannot be confirmed any more is not waited for: the close time-out is longer than the test. */
    @Test
    void anErrorWhileClosingIsTheReasonOfTheDoubt() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 0, 1);
                    client.expect(ControlFrames.PING);
                    client.send(ErrorFrame.encode(CloseReason.NOT_PERMITTED, "type 1"));
                });
                RelayPublisher publisher = open(to(relay).closeTimeout(Duration.ofHours(1)))) {
            publish(publisher, "a");
            assertThat(badEnd(publisher))
                    .hasMessageStartingWith(
                            "closed with 1 sent, 1 in doubt: the relay has not confirmed it: the relay ended")
                    .hasMessageEndingWith("type 1");
            assertThat(publisher.failure()).isPresent();
            assertThat(events(SessionEvent.GaveUp.class))
                    .as("nothing was to be tried again")
                    .isEmpty();
        }
    }

    /** Its thread would wait for itself. */
    @Test
    void aListenerThatFlushesDoesNotWait() throws Exception {
        CompletableFuture<RelayPublisher> made = new CompletableFuture<>();
        CompletableFuture<Long> told = new CompletableFuture<>();
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 0, 1);
                    client.send(Frames.goAway());
                    client.drain();
                });
                RelayPublisher publisher = open(to(relay).closeTimeout(SHORT).onEvent(event -> {
                    if (event instanceof SessionEvent.GoingAway) {
                        try {
                            told.complete(unflushed(made.join(), LONG).unsettled());
                        } catch (RuntimeException e) {
                            told.completeExceptionally(e);
                        }
                    }
                }))) {
            made.complete(publisher);
            publish(publisher, "a");
            assertThat(told.get(120, TimeUnit.SECONDS)).isEqualTo(1);
            badEnd(publisher);
        }
    }

    @Test
    void publishingAllocatesNothing() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        AtomicLong io = new AtomicLong();
        int count = 50_000;
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(Frames.bareWelcome(1));
                    Frames.readAll(client.channel(), (type, body) -> {
                        if (type == ControlFrames.PING) {
                            ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
                            PongFrame.put(pong, PingFrame.id(body));
                            sendQuietly(client, pong.flip());
                        }
                    });
                });
                RelayPublisher publisher = open(
                        to(relay).onEvent(event -> io.set(Thread.currentThread().getId())))) {
            ByteBuffer body = ByteBuffer.allocateDirect(100);
            publishMany(publisher, body, 20_000);
            publisher.flush(LONG);
            long before = threads.getCurrentThreadAllocatedBytes();
            long beforeIo = threads.getThreadAllocatedBytes(io.get());
            publishMany(publisher, body, count);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            publisher.flush(LONG);
            long allocatedIo = threads.getThreadAllocatedBytes(io.get()) - beforeIo;
            assertThat(allocated).as("bytes for %d messages", count).isLessThan(count);
            assertThat(allocatedIo)
                    .as("bytes of the I/O thread for %d messages", count)
                    .isLessThan(count);
            assertThat(publisher.confirmed()).isEqualTo(publisher.messages());
        }
    }

    /** A flush on a thread of its own; the future has what it told, 0 for nothing. */
    private record Flushing(Thread thread, CompletableFuture<Long> future) {
        void awaitWaiting() {
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                assertThat(future).isNotDone();
                Thread.onSpinWait();
            }
        }
    }

    private static Flushing flushing(RelayPublisher publisher, Duration atMost) {
        CompletableFuture<Long> told = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                publisher.flush(atMost);
                told.complete(0L);
            } catch (PublishException e) {
                told.complete(e.unsettled());
            } catch (InterruptedException e) {
                told.completeExceptionally(e);
            }
        });
        thread.start();
        return new Flushing(thread, told);
    }
}
