package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;

/** Processes that are killed under load, as by power or by an operator, and started anew: every message is checked. */
class KilledProcessesTest {
    private static final String RELAY = "dev.msgrelay.server.cli.RelayServerMain";
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int LIVES = 2;
    private static final int MESSAGES_A_LIFE = 20_000;
    /** Messages that no life of a relay is killed behind: they are still to be published then. */
    private static final int LEFT = 2_000;

    private static final int REST_EVERY = 20;
    private static final long REST_NANOS = 50_000;

    private final List<Gap> gaps = new ArrayList<>();
    private final List<SessionEvent> events = Collections.synchronizedList(new ArrayList<>());

    /**
     * What the publisher was told to be acknowledged was in a stream that is gone with the relay; everything behind it
     * comes in the next relay's stream, from just there. Within a stream nothing is missed and nothing comes twice.
     * Thorough, as {@link DurableSystemTest} kills relays, too.
     */
    @Tag("thorough")
    @ConcurrentTest
    void aRelayThatIsKilledTakesWithItWhatItHadAcknowledgedAndNoMore() throws Exception {
        List<Long> resentFrom = Collections.synchronizedList(new ArrayList<>());
        AtomicLong acked = new AtomicLong();
        Semaphore mayPublish = new Semaphore(MESSAGES_A_LIFE);
        int publishPort = FreePort.next();
        int subscribePort = FreePort.next();
        TestProcess relay = relay(publishPort, subscribePort);
        List<Long> firstOfStream = new ArrayList<>();
        long[] last = {0, 0}; // number, sequence
        PublisherOptions options = PublisherOptions.builder(Endpoint.tcp("127.0.0.1", publishPort))
                .acks("orders")
                .reconnect(SubscriberSystemTest.QUICK)
                .onAck((number, sequence) -> acked.set(number))
                .onEvent(event -> {
                    if (event instanceof SessionEvent.RelayRestarted) {
                        resentFrom.add(acked.get() + 1);
                    }
                })
                .build();
        try (RelayPublisher publisher = RelayPublisher.open(options);
                RelaySubscriber subscriber = subscriber(subscribePort)) {
            CompletableFuture<Void> load =
                    CompletableFuture.runAsync(() -> publish(publisher, (long) LIVES * MESSAGES_A_LIFE, mayPublish));
            for (int life = 1; life < LIVES; life++) {
                // A stream may come in whole before this one is scheduled: the publisher has more for each life.
                int streams = life;
                long enough = (long) life * MESSAGES_A_LIFE - LEFT;
                poll(subscriber, firstOfStream, last, () -> firstOfStream.size() == streams && last[0] >= enough);
                relay.kill();
                relay = relay(publishPort, subscribePort);
                mayPublish.release(MESSAGES_A_LIFE);
            }
            long all = (long) LIVES * MESSAGES_A_LIFE;
            poll(subscriber, firstOfStream, last, () -> firstOfStream.size() == LIVES && last[0] == all);
            load.get(120, TimeUnit.SECONDS);
            publisher.flush(LONG);
            assertThat(publisher.settled()).isEqualTo(all);
        } finally {
            relay.close();
        }
        assertThat(gaps).isEmpty();
        assertThat(firstOfStream).hasSize(LIVES).startsWith(1L);
        assertThat(firstOfStream.subList(1, LIVES))
                .as("each stream goes on where the one before had acknowledged")
                .isEqualTo(resentFrom);
    }

    /** Thorough, as {@link ResumedPublishTest} kills the command that publishes, too. */
    @Tag("thorough")
    @ConcurrentTest
    void aPublisherThatIsKilledAndStartedAnewLosesAndRepeatsNothing() throws Exception {
        long all = (long) LIVES * MESSAGES_A_LIFE;
        List<Long> firstOfStream = new ArrayList<>();
        long[] last = {0, 0};
        try (TestProcess relay = relay(0, 0);
                RelaySubscriber subscriber = subscriber(port(relay, "subscribe"))) {
            String port = Integer.toString(port(relay, "publish"));
            for (int life = 1; life <= LIVES; life++) {
                try (TestProcess publisher =
                        TestProcess.java(NumberingPublisher.class.getName(), port, "orders", Long.toString(all))) {
                    String from = publisher.line(line -> line.startsWith("from "));
                    assertThat(Long.parseLong(from.substring(5))).isGreaterThanOrEqualTo(last[0] + (life == 1 ? 1 : 0));
                    long enough = life == LIVES ? all : (long) life * MESSAGES_A_LIFE / 2;
                    poll(subscriber, firstOfStream, last, () -> last[0] >= enough);
                    if (life == LIVES) {
                        publisher.line("done"::equals);
                    } else {
                        publisher.kill();
                    }
                }
            }
            assertThat(last[0]).isEqualTo(all);
            assertThat(last[1]).as("sequence of the last message: none twice").isEqualTo(all);
        }
        assertThat(gaps).isEmpty();
    }

    /** Polls until it is so; numbers go up by one but where another stream begins. */
    private void poll(RelaySubscriber subscriber, List<Long> firsts, long[] last, BooleanSupplier done)
            throws IOException {
        long end = System.nanoTime() + LONG.toNanos();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("in time: last " + last[0] + ", " + events)
                    .isLessThan(end);
            subscriber.poll((sequence, type, body) -> {
                long number = body.getLong(body.position());
                if (sequence == 1) {
                    firsts.add(number);
                } else {
                    assertThat(number).as("behind " + last[0]).isEqualTo(last[0] + 1);
                    assertThat(sequence).isEqualTo(last[1] + 1);
                }
                last[0] = number;
                last[1] = sequence;
            });
        }
    }

    private static void publish(RelayPublisher publisher, long last, Semaphore may) {
        ByteBuffer body = ByteBuffer.allocate(100);
        try {
            for (long number = 1; number <= last; number++) {
                may.acquire();
                assertThat(publisher.publish(1, body.putLong(0, number), LONG)).isSameAs(PublishOutcome.ACCEPTED);
                if (number % REST_EVERY == 0) {
                    LockSupport.parkNanos(REST_NANOS);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private RelaySubscriber subscriber(int port) throws IOException {
        return RelaySubscriber.open(SubscriberOptions.builder(Endpoint.tcp("127.0.0.1", port))
                .fromSequence(0, 1)
                .reconnect(SubscriberSystemTest.QUICK)
                .onGap(gaps::add)
                .onEvent(events::add)
                .build());
    }

    private static TestProcess relay(int publishPort, int subscribePort) throws IOException {
        return TestProcess.java(
                RELAY,
                "--json",
                "--log-size=64m",
                "--publish-port=" + publishPort,
                "--subscribe-port=" + subscribePort);
    }

    /** The port of a relay process that runs with --json. */
    static int port(TestProcess relay, String which) throws InterruptedException {
        String ready = relay.line(line -> line.contains("\"event\":\"ready\""));
        Matcher matcher = Pattern.compile('"' + which + "\":\"[^\"]*:(\\d+)\"").matcher(ready);
        assertThat(matcher.find()).as(ready).isTrue();
        return Integer.parseInt(matcher.group(1));
    }
}
