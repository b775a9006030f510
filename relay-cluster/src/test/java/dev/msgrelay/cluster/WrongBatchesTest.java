package dev.msgrelay.cluster;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.cluster.StateRig.Sender;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import io.aeron.Aeron;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.security.AuthenticationException;
import io.aeron.security.CredentialsSupplier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Strangers and broken members at the ports of a node that has a journal, with clients of Aeron's of their own. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class WrongBatchesTest {
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final int KINDS = 1_000;
    private static final int MOST_BODY = 1 << 20;

    @TempDir
    private Path folder;

    private final String name = "wrong-" + ThreadLocalRandom.current().nextInt(1_000_000);
    private final Path file;
    private final Path secret;
    private final int port;

    WrongBatchesTest(@TempDir Path configuration) throws IOException {
        port = NodePlaceTest.ports();
        secret = Files.writeString(configuration.resolve("secret"), "f00dfeedf00dfeedf00dfeed\n");
        file = Files.writeString(
                configuration.resolve("cluster.conf"),
                String.format(
                        Locale.ROOT,
                        "cluster { name = \"%s\", directory = \"%s\", secret-file = \"%s\","
                                + " members { 1 = \"127.0.0.1:%d\" } }",
                        name,
                        configuration.resolve("nodes"),
                        secret,
                        port));
    }

    private RelayServer start() throws IOException {
        return RelayServer.start(RelayConfig.builder(0, 0)
                .set(EVENT_LOOPS, 1)
                .set(LOG_SIZE, 8 << 20)
                .set(JOURNAL, folder.resolve("journal"))
                .set(JOURNAL_SEGMENT, 2 << 20)
                .cluster(file, 1)
                .build());
    }

    private AeronCluster connect(Aeron aeron, CredentialsSupplier credentials) {
        return AeronCluster.connect(new AeronCluster.Context()
                .aeron(aeron)
                .ownsAeronClient(false)
                .messageTimeoutNs(WAIT.toNanos())
                .credentialsSupplier(credentials)
                .ingressChannel("aeron:udp?term-length=64k")
                .ingressEndpoints("1=127.0.0.1:" + port)
                .egressChannel("aeron:udp?endpoint=127.0.0.1:0"));
    }

    private MediaDriver driver() {
        return MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(folder.resolve("driver").toString())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .publicationTermBufferLength(1 << 20)
                .threadingMode(ThreadingMode.SHARED));
    }

    @Test
    void strangersAreNotLetInAndAThousandKindsOfWrongBatchesStopNobody() throws Exception {
        long seed = ThreadLocalRandom.current().nextLong();
        System.out.println("seed " + seed);
        ByteBuffer body = ByteBuffer.allocate(64);
        try (RelayServer relay = start();
                MediaDriver media = driver();
                Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(media.aeronDirectoryName()));
                RelayPublisher publisher = RelayPublisher.open(
                        PublisherOptions.builder(endpoint(relay.publishAddress().getPort()))
                                .acks("honest")
                                .build())) {
            assertThatExceptionOfType(AuthenticationException.class)
                    .isThrownBy(() -> connect(aeron, null).close());
            ClusterFile cluster = ClusterFile.read(file);
            try (AeronCluster member = connect(aeron, ClusterSecret.of(cluster).credentials())) {
                Random random = new Random(seed);
                for (int kind = 0; kind < KINDS; kind++) {
                    UnsafeBuffer wrong = wrong(random);
                    long begun = System.nanoTime();
                    while (member.offer(wrong, 0, wrong.capacity()) < 0) {
                        assertThat(System.nanoTime() - begun).isLessThan(WAIT.toNanos());
                        member.sendKeepAlive();
                        Thread.yield();
                    }
                    body.putLong(0, kind + 1);
                    assertThat(publisher.publish(7, body, WAIT)).hasToString("ACCEPTED");
                }
            }
            publisher.flush(WAIT);
            // The journal has nothing of the batches that were passed over, so it gets to where the cluster is.
            ClusterSnapshot.takeSnapshot(file, 1);
            assertThat(received(relay)).isEqualTo(KINDS);
        }
        try (RelayServer again = start()) {
            assertThat(received(again)).as("seed %d", seed).isEqualTo(KINDS);
        }
    }

    /** Batches that are almost right, but for one thing; none that is right by chance. */
    private UnsafeBuffer wrong(Random random) {
        ClusterState state = new ClusterState(name, Set.of(1));
        UnsafeBuffer first = new UnsafeBuffer(new byte[Batch.HEADER_LENGTH]);
        Batch.putHeader(first, 1, ClusterState.idOf(name), 1, 1, MOST_BODY);
        assertThat(state.batch(1, 0, first, 0, first.capacity(), new StateRig.Seen()))
                .isNull();
        while (true) {
            boolean stranger = random.nextInt(8) == 0;
            Sender sender = new Sender(stranger ? 2 + random.nextInt(99) : 1, random.nextLong(), 1);
            byte[] entry =
                    switch (random.nextInt(4)) {
                        case 0 -> sender.claim("name", new ProducerId(1, 1));
                        case 1 -> sender.leave("name", new ProducerId(1, 1));
                        case 2 -> sender.run("name", new ProducerId(1, 1), 1, 1 + random.nextInt(9));
                        default -> sender.run("", ProducerId.NONE, 1, 1 + random.nextInt(9));
                    };
            UnsafeBuffer batch = new UnsafeBuffer(new byte[Batch.HEADER_LENGTH + entry.length]);
            Batch.putHeader(batch, sender.node, ClusterState.idOf(name), sender.life, 5, MOST_BODY);
            batch.putBytes(Batch.HEADER_LENGTH, entry);
            if (!stranger) {
                for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                    int at = random.nextInt(batch.capacity());
                    batch.putByte(at, (byte) random.nextInt());
                }
            }
            int length = random.nextInt(8) == 0 ? random.nextInt(batch.capacity()) : batch.capacity();
            UnsafeBuffer cut = new UnsafeBuffer(batch, 0, length);
            if (length > 0 && state.batch(2, 0, cut, 0, length, new StateRig.Seen()) != null) {
                return cut;
            }
        }
    }

    /** Returns how many of the publisher's messages a subscriber gets from the earliest on, each once and in order. */
    private static long received(RelayServer relay) throws IOException {
        long[] count = new long[1];
        try (RelaySubscriber subscriber = RelaySubscriber.open(
                SubscriberOptions.builder(endpoint(relay.subscribeAddress().getPort()))
                        .fromEarliest()
                        .build())) {
            long begun = System.nanoTime();
            while (count[0] < KINDS && System.nanoTime() - begun < WAIT.toNanos()) {
                subscriber.poll((sequence, type, body) -> {
                    count[0]++;
                    assertThat(sequence).isEqualTo(count[0]);
                    assertThat(body.getLong(body.position())).isEqualTo(count[0]);
                });
            }
        }
        return count[0];
    }

    private static Endpoint endpoint(int port) {
        return Endpoint.parse("127.0.0.1:" + port);
    }
}
