package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A relay with a journal is killed and started again, and all readers of one address come back at once, to places that
 * only the journal has: more than may start there while one of them waits for its turn. Those that are refused come
 * again when the relay says, and not after their longest wait, of an hour; nobody misses anything.
 */
@Execution(ExecutionMode.CONCURRENT)
class ReadersOfOneAddressTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int READERS = 16;
    private static final int STARTS_A_SECOND = 2;
    private static final int BEFORE = 20;
    /** With {@link #BODY} more than twice the log. */
    private static final int BEHIND = 100;

    private static final int BODY = 64 << 10;
    private static final ReconnectPolicy PATIENT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(1), Duration.ofHours(1));

    @TempDir
    private Path directory;

    private final int publishPort;
    private final int subscribePort;
    private final CountDownLatch reading = new CountDownLatch(READERS);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final List<Gap> gaps = Collections.synchronizedList(new ArrayList<>());

    ReadersOfOneAddressTest() throws IOException {
        publishPort = FreePort.next();
        subscribePort = FreePort.next();
    }

    @Test
    void allComeBackAndMissNothing() throws Exception {
        ExecutorService readers = Executors.newFixedThreadPool(READERS);
        TestProcess relay = relay();
        try {
            publish("before", BEFORE);
            List<Future<List<Long>>> all = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                String name = "reader-" + i;
                all.add(readers.submit(() -> read(name)));
            }
            assertThat(reading.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            relay.kill();
            relay = relay();
            publish("behind", BEHIND);
            mayGoOn.countDown();
            for (Future<List<Long>> one : all) {
                assertThat(one.get(LONG.toSeconds(), TimeUnit.SECONDS))
                        .containsExactlyElementsOf(LongStream.rangeClosed(1, BEFORE + BEHIND)
                                .boxed()
                                .toList());
            }
            assertThat(gaps).isEmpty();
        } finally {
            mayGoOn.countDown();
            readers.shutdownNow();
            relay.close();
        }
    }

    private TestProcess relay() throws IOException {
        return TestProcess.java(
                "dev.msgrelay.server.cli.RelayServerMain",
                "--admin=none",
                "--log-size=3m",
                "--max-body=" + BODY,
                "--journal=" + directory.resolve("journal"),
                "--journal-segment=2m",
                "--journal-keep=200m",
                "--replays-per-address=" + STARTS_A_SECOND,
                "--publish-port=" + publishPort,
                "--subscribe-port=" + subscribePort);
    }

    private void publish(String name, int messages) throws Exception {
        PublisherOptions options = PublisherOptions.builder(Endpoint.tcp("127.0.0.1", publishPort))
                .acks(name, Level.FORCED)
                .reconnect(SubscriberSystemTest.QUICK)
                .closeTimeout(LONG)
                .build();
        try (RelayPublisher publisher = RelayPublisher.open(options)) {
            for (int i = 0; i < messages; i++) {
                publisher.publish(1, new byte[BODY]);
            }
            publisher.flush(LONG);
        }
    }

    /** Reads all, and stops in the middle until it may go on; returns the sequences. */
    private List<Long> read(String name) throws Exception {
        SubscriberOptions options = SubscriberOptions.builder(Endpoint.tcp("127.0.0.1", subscribePort))
                .name(name)
                .fromEarliest()
                .reconnect(PATIENT)
                .onGap(gaps::add)
                .build();
        List<Long> had = new ArrayList<>();
        try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
            while (had.size() < BEFORE + BEHIND) {
                subscriber.poll((sequence, type, body) -> had.add(sequence));
                if (had.size() == BEFORE && mayGoOn.getCount() > 0) {
                    reading.countDown();
                    mayGoOn.await();
                }
            }
        }
        return had;
    }
}
