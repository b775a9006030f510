package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.AckFrame;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.SequenceFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that are cut at random bytes, over and over: every message exactly once, in order; or it is in doubt. */
@SuppressWarnings("try") // closing early is what is tested
class RandomCutsTest {
    private static final int MESSAGES = 20_000;
    private static final int LONGEST_BODY = 200;

    /** Bytes between two cuts, at most. */
    private static final int FARTHEST_CUT = 60_000;

    private static final Duration LONG = Duration.ofSeconds(120);

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    @ParameterizedTest
    @ValueSource(strings = {"all", "1,3,5-6"})
    void aSubscriberHasEveryMessageOnce(String types) throws Exception {
        System.out.println("aSubscriberHasEveryMessageOnce " + types + ": seed " + seed);
        TypeRanges wanted = TypeRanges.parse(types);
        List<Long> had = new ArrayList<>();
        long[] expected = {next(wanted, 1)};
        try (ScriptedRelay relay = ScriptedRelay.repeating(this::serveNumbered);
                RelaySubscriber subscriber = RelaySubscriber.open(SubscriberOptions.builder(relay.endpoint())
                        .types(wanted)
                        .fromSequence(0, 1)
                        .reconnect(SubscriberRun.QUICK)
                        .onGap(gap -> {
                            throw new AssertionError("seed " + seed + ": " + gap);
                        })
                        .build())) {
            while (expected[0] <= MESSAGES) {
                subscriber.poll((sequence, type, body) -> {
                    assertThat(sequence).as("seed %d", seed).isEqualTo(expected[0]);
                    assertThat(type).as("seed %d", seed).isEqualTo(type(sequence));
                    assertThat(body).as("seed %d", seed).isEqualTo(body(sequence));
                    had.add(sequence);
                    expected[0] = next(wanted, sequence + 1);
                });
            }
            assertThat(relay.hellos()).as("seed %d: it was cut", seed).hasSizeGreaterThan(5);
        }
        assertThat(had.size()).isEqualTo((int) subscriberExpects(wanted));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aPublisherHasEveryMessageTakenOnce(int producers) throws Exception {
        System.out.println("aPublisherHasEveryMessageTakenOnce " + producers + ": seed " + seed);
        Taker taker = new Taker(producers);
        try (ScriptedRelay relay = ScriptedRelay.repeating(taker::serve);
                RelayPublisher publisher = RelayPublisher.open(PublisherOptions.builder(relay.endpoint())
                        .acks("random")
                        .bufferSize(32 << 10)
                        .maxBody(LONGEST_BODY)
                        .connectTimeout(Duration.ofSeconds(5))
                        .closeTimeout(LONG)
                        .reconnect(SubscriberRun.QUICK)
                        .build())) {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int id = 0; id < producers; id++) {
                threads.add(produce(publisher, id, MESSAGES / producers));
            }
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
            publisher.flush(LONG);
            publisher.close();
            assertThat(publisher.failure()).as("seed %d", seed).isEmpty();
            assertThat(publisher.settled()).isEqualTo(MESSAGES);
            assertThat(relay.hellos()).as("seed %d: it was cut", seed).hasSizeGreaterThan(5);
        }
        assertThat(taker.accepted).isEqualTo(MESSAGES);
        assertThat(taker.next).as("seed %d", seed).containsOnly(MESSAGES / producers);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aPublisherWithoutAcksCountsNothingAsConfirmedThatTheRelayLacks(int producers) throws Exception {
        System.out.println(
                "aPublisherWithoutAcksCountsNothingAsConfirmedThatTheRelayLacks " + producers + ": seed " + seed);
        AtomicLong read = new AtomicLong();
        AtomicBoolean cuts = new AtomicBoolean(true);
        AtomicLong inDoubt = new AtomicLong();
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> confirm(client, read, cuts));
                RelayPublisher publisher = RelayPublisher.open(PublisherOptions.builder(relay.endpoint())
                        .bufferSize(32 << 10)
                        .maxBody(LONGEST_BODY)
                        .closeTimeout(LONG)
                        .reconnect(SubscriberRun.QUICK)
                        .onEvent(event -> {
                            if (event instanceof SessionEvent.InDoubt lost) {
                                inDoubt.addAndGet(lost.messages());
                            }
                        })
                        .build())) {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int id = 0; id < producers; id++) {
                threads.add(produce(publisher, id, MESSAGES / producers));
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new));
            long told = 0;
            while (!all.isDone()) {
                told += unflushed(publisher);
                assertThat(publisher.confirmed()).as("seed %d", seed).isLessThanOrEqualTo(read.get());
            }
            all.get(120, TimeUnit.SECONDS);
            cuts.set(false);
            told += unflushed(publisher);
            assertThat(unflushed(publisher)).as("told once; seed %d", seed).isZero();
            publisher.close();
            assertThat(told).as("seed %d", seed).isEqualTo(inDoubt.get());
            assertThat(publisher.confirmed() + told).as("seed %d", seed).isEqualTo(MESSAGES);
            assertThat(MESSAGES - read.get())
                    .as("messages that the relay lacks; seed %d", seed)
                    .isLessThanOrEqualTo(told);
            assertThat(relay.hellos()).as("seed %d: it was cut", seed).hasSizeGreaterThan(5);
        }
    }

    /** Number of messages that a flush says are in doubt. */
    private static long unflushed(RelayPublisher publisher) throws InterruptedException {
        try {
            publisher.flush(LONG);
            return 0;
        } catch (PublishException e) {
            return e.unsettled();
        }
    }

    /** A relay that counts what it reads, answers PINGs, and cuts as long as it may. */
    private void confirm(Peer client, AtomicLong read, AtomicBoolean cuts) throws Exception {
        client.hello();
        client.send(Frames.bareWelcome(1));
        int cut = random.nextInt(FARTHEST_CUT);
        long bytes = 0;
        Peer.Frame frame;
        while ((bytes < cut || !cuts.get()) && (frame = client.next()) != null) {
            bytes += FrameLayout.frameLength(frame.body().remaining());
            if (frame.type() == ControlFrames.PING) {
                client.send("PONG id=" + PingFrame.id(frame.body()));
            } else {
                read.incrementAndGet();
            }
        }
        if (random.nextBoolean()) {
            client.reset();
        }
    }

    // ---- a relay with a numbered stream of types 1 to 6, that cuts

    private void serveNumbered(Peer client) throws Exception {
        HelloFrame hello = client.hello();
        int cut = random.nextInt(FARTHEST_CUT);
        ByteBuffer stream = ByteBuffer.allocate(cut + 1000);
        long at = hello.number();
        stream.put(Frames.frame(1, (byte) 1)).put(Frames.welcome(at));
        boolean told = true;
        while (stream.position() < cut && at <= MESSAGES) {
            if (hello.types().contains(type(at))) {
                if (!told) {
                    SequenceFrame.put(stream, at);
                }
                told = true;
                ByteBuffer body = body(at);
                stream.putInt(type(at)).putInt(body.remaining()).put(body);
            } else {
                told = false;
            }
            at++;
            if (random.nextInt(50) == 0) {
                PingFrame.put(stream, random.nextLong(), at, MESSAGES);
                told = true;
            }
        }
        boolean all = at > MESSAGES && stream.position() <= cut;
        client.send(stream.flip().limit(all ? stream.limit() : cut));
        if (all) {
            client.drain();
        } else if (random.nextBoolean()) {
            // Cut hard: what the client has not read yet may be gone with it.
            client.channel().setOption(StandardSocketOptions.SO_LINGER, 0);
        }
    }

    private static int type(long sequence) {
        return (int) (1 + sequence * 7 % 6);
    }

    private static ByteBuffer body(long sequence) {
        Random content = new Random(sequence);
        byte[] bytes = new byte[Long.BYTES + content.nextInt(60)];
        content.nextBytes(bytes);
        return ByteBuffer.wrap(bytes).putLong(0, sequence);
    }

    private static long next(TypeRanges wanted, long from) {
        long at = from;
        while (!wanted.contains(type(at))) {
            at++;
        }
        return at;
    }

    private static long subscriberExpects(TypeRanges wanted) {
        long count = 0;
        for (long at = 1; at <= MESSAGES; at++) {
            count += wanted.contains(type(at)) ? 1 : 0;
        }
        return count;
    }

    // ---- a relay that counts what it has accepted, and cuts

    /** Takes each number once, as a relay does, and acknowledges now and then. */
    private final class Taker {
        private final int[] next;
        private long accepted;

        private Taker(int producers) {
            next = new int[producers];
        }

        private void serve(Peer client) throws Exception {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).as("seed %d", seed).isLessThanOrEqualTo(accepted + 1);
            client.send(Frames.welcome(EPOCH, 0, accepted + 1, accepted, Frames.LONG_IDLE));
            long[] number = {hello.number() == 0 ? accepted + 1 : hello.number()};
            int cut = random.nextInt(FARTHEST_CUT);
            FrameReader reader = new FrameReader(512, LONGEST_BODY);
            ByteBuffer ack = ByteBuffer.allocate(AckFrame.FRAME_LENGTH);
            SocketChannel channel = client.channel();
            while (reader.bytes() < cut || accepted == MESSAGES) {
                if (reader.read(channel, (type, body) -> take(number[0]++, type, body)) < 0) {
                    return;
                }
                if (random.nextInt(4) == 0 || accepted == MESSAGES) {
                    AckFrame.put(ack.clear(), Math.max(1, accepted), Math.max(1, accepted));
                    ack.flip();
                    // Half an acknowledgement is none.
                    boolean half = accepted < MESSAGES && random.nextInt(20) == 0;
                    client.send(half ? ack.limit(random.nextInt(ack.limit())) : ack);
                    if (half) {
                        return;
                    }
                }
            }
        }

        private void take(long number, int type, ByteBuffer body) {
            assertThat(ControlFrames.isControl(type)).isFalse();
            if (number <= accepted) {
                return;
            }
            assertThat(number).as("seed %d", seed).isEqualTo(accepted + 1);
            assertThat(body).as("seed %d", seed).isEqualTo(published(type, next[type]));
            next[type]++;
            accepted = number;
        }
    }

    private CompletableFuture<Void> produce(RelayPublisher publisher, int id, int messages) {
        return CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; i < messages; i++) {
                        try {
                            assertThat(publisher.publish(id, published(id, i), LONG))
                                    .isSameAs(PublishOutcome.ACCEPTED);
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }
                },
                command -> new Thread(command, "producer " + id).start());
    }

    private static ByteBuffer published(int id, int n) {
        Random content = new Random((long) id << 32 | n);
        byte[] bytes = new byte[content.nextInt(LONGEST_BODY)];
        content.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
