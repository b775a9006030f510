package dev.msgrelay.client.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.TlsException;
import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import dev.msgrelay.testing.scripted.CuttingProxy;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Publisher and subscriber with TLS against the relay itself. */
class TlsClientTest {
    private static final ReconnectPolicy QUICK =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(1), Duration.ofMillis(20));

    /** Of relay and clients: several handshakes on a busy machine. */
    private static final Duration HANDSHAKE = Duration.ofSeconds(120);

    @TempDir
    Path folder;

    private TlsFolder files;

    @BeforeEach
    void makeCertificates() throws Exception {
        files = new TlsFolder(folder);
    }

    private static RelayServer start(TlsFiles tls, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return RelayServer.start(more.apply(RelayConfig.builder(0, 0)
                        .set(LOG_SIZE, 8 << 20)
                        .set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE)
                        .set(TLS_FILES, tls)
                        .set(TLS_PUBLISH_PORT, 0)
                        .set(TLS_SUBSCRIBE_PORT, 0)
                        .set(HANDSHAKE_TIMEOUT, HANDSHAKE))
                .build());
    }

    private static Endpoint endpoint(InetSocketAddress address) {
        return Endpoint.of(address);
    }

    private static SubscriberOptions.Builder subscriberAt(Endpoint endpoint) {
        return SubscriberOptions.builder(endpoint).connectTimeout(HANDSHAKE).handshakeTimeout(HANDSHAKE);
    }

    private static PublisherOptions.Builder publisherAt(Endpoint endpoint) {
        return PublisherOptions.builder(endpoint).connectTimeout(HANDSHAKE).handshakeTimeout(HANDSHAKE);
    }

    private static ByteBuffer body(long number) {
        int length = (int) (number * 7919 % (number % 50 == 0 ? 200_000 : 900)) + Long.BYTES;
        ByteBuffer body = ByteBuffer.allocate(length).putLong(number);
        while (body.hasRemaining()) {
            body.put((byte) (number + body.position()));
        }
        return body.flip();
    }

    /** Acknowledged, in their order, each byte: with either library, with certificates of the clients or without. */
    @ParameterizedTest
    @CsvSource({"BORINGSSL,false,false", "BORINGSSL,true,true", "JDK,true,false", "JDK,false,true"})
    void publishesAndSubscribes(TlsProvider provider, boolean mutual, boolean plain) throws Exception {
        int messages = 3_000;
        X509Bundle own = files.signed("CN=audit", b -> b);
        TlsOptions tls = TlsOptions.trusting(files.ca);
        TlsOptions shown = mutual ? tls.showing(files.certificate(own), files.key(own)) : tls;
        try (RelayServer relay = start(files.files(files.relay(), mutual), b -> b.set(TLS_PROVIDER, provider))) {
            SubscriberOptions.Builder in =
                    subscriberAt(endpoint(relay.tlsSubscribeAddress())).tls(shown);
            PublisherOptions.Builder out =
                    publisherAt(endpoint(relay.tlsPublishAddress())).tls(shown);
            SubscriberOptions from = plain
                    ? in.plain().reconnect(ReconnectPolicy.none()).build()
                    : in.reconnect(QUICK).build();
            PublisherOptions to = plain
                    ? out.plain().reconnect(ReconnectPolicy.none()).build()
                    : out.acks("orders").build();
            try (RelaySubscriber subscriber = RelaySubscriber.connect(from);
                    RelayPublisher publisher = RelayPublisher.connect(to)) {
                while (relay.stats().subscribers() == 0 || (!plain && subscriber.epoch() == 0)) {
                    if (!plain) {
                        subscriber.poll((sequence, type, body) -> {});
                    }
                }
                CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> publish(publisher, messages));
                long[] next = {1};
                while (next[0] <= messages) {
                    int n = subscriber.poll((sequence, type, body) -> {
                        assertThat(body).isEqualTo(body(next[0]));
                        next[0]++;
                    });
                    assertThat(n).isNotNegative();
                }
                publishing.get(120, TimeUnit.SECONDS);
            }
        }
    }

    private static void publish(RelayPublisher publisher, int messages) {
        try {
            for (long number = 1; number <= messages; number++) {
                PublishOutcome outcome = publisher.publish(7, body(number), Duration.ofSeconds(120));
                assertThat(outcome).isSameAs(PublishOutcome.ACCEPTED);
            }
            publisher.flush(Duration.ofSeconds(120));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Each certificate that a client does not take, and what it says of it. */
    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesTheRelaysCertificate(TlsProvider provider) throws Exception {
        Instant now = Instant.now();
        X509Bundle expired = files.signed("CN=x", b -> b.addSanIpAddress("127.0.0.1")
                .notBefore(now.minusSeconds(7200))
                .notAfter(now.minusSeconds(60)));
        X509Bundle early = files.signed("CN=x", b -> b.addSanIpAddress("127.0.0.1")
                .notBefore(now.plusSeconds(3600))
                .notAfter(now.plusSeconds(7200)));
        X509Bundle other = files.signed("CN=x", b -> b.addSanDnsName("other.example"));
        X509Bundle foreign = new TlsFolder(Files.createDirectory(folder.resolve("foreign"))).relay();
        refuses(provider, ReconnectPolicy.none(), expired, "the relay's certificate has expired");
        refuses(provider, ReconnectPolicy.none(), early, "the relay's certificate is not yet valid");
        // Another name is another relay: at once, whatever the policy.
        refuses(
                provider,
                QUICK,
                other,
                "the relay's certificate is refused: No subject alternative names matching IP address 127.0.0.1 found;"
                        + " the certificate is for other.example");
        refuses(provider, ReconnectPolicy.none(), foreign, "the relay's certificate is refused: ");
        // By the name that it has, it is taken.
        try (RelayServer relay = start(files.files(other, false), b -> b.set(TLS_PROVIDER, provider));
                RelaySubscriber subscriber = RelaySubscriber.connect(subscriberAt(endpoint(relay.tlsSubscribeAddress()))
                        .tls(TlsOptions.trusting(files.ca).expecting("other.example"))
                        .build())) {
            assertThat(subscriber).isNotNull();
        }
    }

    private void refuses(TlsProvider provider, ReconnectPolicy policy, X509Bundle shown, String text) throws Exception {
        try (RelayServer relay = start(files.files(shown, false), b -> b.set(TLS_PROVIDER, provider))) {
            Endpoint endpoint = endpoint(relay.tlsSubscribeAddress());
            assertThatThrownBy(() -> RelaySubscriber.connect(subscriberAt(endpoint)
                            .tls(TlsOptions.trusting(files.ca))
                            .reconnect(policy)
                            .build()))
                    .isInstanceOf(TlsException.class)
                    .hasMessageStartingWith("TLS with " + endpoint + " failed: " + text);
        }
    }

    /** Files are read for each connection: a relay whose authority was changed first is no reason to give up. */
    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void anAuthorityThatIsRenewedMeanwhileIsTaken(TlsProvider provider) throws Exception {
        Path former = new TlsFolder(Files.createDirectory(folder.resolve("former"))).ca;
        Path ca = Files.copy(former, folder.resolve("renewed.pem"));
        List<String> losses = Collections.synchronizedList(new ArrayList<>());
        try (RelayServer relay = start(files.files(files.relay(), false), b -> b.set(TLS_PROVIDER, provider));
                RelaySubscriber subscriber = RelaySubscriber.connect(subscriberAt(endpoint(relay.tlsSubscribeAddress()))
                        .tls(TlsOptions.trusting(ca))
                        .reconnect(QUICK)
                        .onEvent(event -> {
                            if (event.isLoss()) {
                                losses.add(event.text());
                                renew(ca);
                            }
                        })
                        .build())) {
            assertThat(subscriber).isNotNull();
            assertThat(losses).hasSize(1).first().asString().contains("certificate is refused");
        }
    }

    private void renew(Path ca) {
        try {
            Files.copy(files.ca, ca, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void isRefused(TlsProvider provider) throws Exception {
        try (RelayServer relay = start(files.files(files.relay(), true), b -> b.set(TLS_PROVIDER, provider))) {
            SubscriberOptions options = subscriberAt(endpoint(relay.tlsSubscribeAddress()))
                    .tls(TlsOptions.trusting(files.ca))
                    .reconnect(ReconnectPolicy.none())
                    .build();
            assertThatThrownBy(() -> {
                        try (RelaySubscriber subscriber = RelaySubscriber.connect(options)) {
                            subscriber.run((sequence, type, body) -> {});
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    /** The wrong port, either way round: it says so, in words. */
    @Test
    void theWrongPort() throws Exception {
        try (RelayServer relay = start(files.files(files.relay(), false), b -> b)) {
            assertThatThrownBy(() -> RelaySubscriber.connect(subscriberAt(endpoint(relay.subscribeAddress()))
                            .tls(TlsOptions.trusting(files.ca))
                            .reconnect(ReconnectPolicy.none())
                            .build()))
                    .isInstanceOf(TlsException.class)
                    .hasMessageContaining("the client speaks TLS, and this port is for plain ones");
            assertThatThrownBy(() -> RelayPublisher.connect(publisherAt(endpoint(relay.publishAddress()))
                            .tls(TlsOptions.trusting(files.ca))
                            .reconnect(ReconnectPolicy.none())
                            .build()))
                    .isInstanceOf(TlsException.class)
                    .hasMessageContaining("the client speaks TLS, and this port is for plain ones");
            assertThatThrownBy(() -> {
                        try (RelaySubscriber subscriber =
                                RelaySubscriber.connect(subscriberAt(endpoint(relay.tlsSubscribeAddress()))
                                        .reconnect(ReconnectPolicy.none())
                                        .build())) {
                            subscriber.run((sequence, type, body) -> {});
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("this port is for TLS");
        }
    }

    /** A stranger that changes its key for ever says nothing by that. */
    @Test
    void recordsWithoutDataDoNotPutTheHandshakeOff() throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(files.relay().toKeyManagerFactory().getKeyManagers(), null, null);
        try (ServerSocket listener = context.getServerSocketFactory().createServerSocket(0);
                RelaySubscriber subscriber =
                        RelaySubscriber.open(subscriberAt(Endpoint.tcp("127.0.0.1", listener.getLocalPort()))
                                .tls(TlsOptions.trusting(files.ca))
                                .handshakeTimeout(Duration.ofMillis(200))
                                .reconnect(ReconnectPolicy.none())
                                .build())) {
            CompletableFuture<Void> polling = CompletableFuture.runAsync(() -> {
                try {
                    subscriber.run((sequence, type, body) -> {});
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            CompletableFuture<Void> stranger = CompletableFuture.runAsync(() -> {
                try (SSLSocket socket = (SSLSocket) listener.accept()) {
                    while (!polling.isDone()) {
                        socket.startHandshake();
                    }
                } catch (IOException e) {
                    // The client has left.
                }
            });
            assertThatThrownBy(() -> polling.get(120, TimeUnit.SECONDS)).hasMessageContaining("no WELCOME");
            stranger.get(120, TimeUnit.SECONDS);
        }
    }

    /** Cut again and again, at any byte, also within handshakes: what is acknowledged is there, once, in its order. */
    @Test
    void goesOnAfterCuts() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("TlsClientTest.goesOnAfterCuts: seed " + seed);
        int messages = 3_000;
        List<SessionEvent> events = new ArrayList<>();
        try (RelayServer relay = start(files.files(files.relay(), false), b -> b);
                CuttingProxy in = new CuttingProxy(endpoint(relay.tlsPublishAddress()), new Random(seed), 1_500_000);
                CuttingProxy out =
                        new CuttingProxy(endpoint(relay.tlsSubscribeAddress()), new Random(seed + 1), 1_500_000);
                RelaySubscriber subscriber = RelaySubscriber.open(subscriberAt(out.endpoint())
                        .tls(TlsOptions.trusting(files.ca))
                        .fromSequence(0, 1)
                        .reconnect(QUICK)
                        .onEvent(events::add)
                        .build());
                RelayPublisher publisher = RelayPublisher.open(publisherAt(in.endpoint())
                        .tls(TlsOptions.trusting(files.ca))
                        .acks("orders")
                        .reconnect(QUICK)
                        .build())) {
            // Before HELLO arrives the stream comes as to a plain client: cut there three times, this is no relay to
            // the client.
            while (connections(events) == 0) {
                subscriber.poll((sequence, type, body) -> {});
            }
            CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> publish(publisher, messages));
            long[] next = {1};
            while (next[0] <= messages) {
                assertThat(publishing).isNotCompletedExceptionally();
                subscriber.poll((sequence, type, body) -> {
                    assertThat(sequence).isEqualTo(next[0]);
                    assertThat(body).isEqualTo(body(next[0]));
                    next[0]++;
                });
            }
            publishing.get(120, TimeUnit.SECONDS);
            assertThat(events).anyMatch(event -> event instanceof SessionEvent.Lost);
        }
    }

    /** The relay asks for a new connection before the key is used up; nothing is lost. */
    @Test
    void resumesWhenAKeyIsUsedUp() throws Exception {
        List<SessionEvent> events = new ArrayList<>();
        try (RelayServer relay = start(files.files(files.relay(), false), b -> b.set(TLS_RECORDS, 1000L)
                        .set(TLS_PROVIDER, TlsProvider.BORINGSSL));
                RelaySubscriber subscriber = RelaySubscriber.open(subscriberAt(endpoint(relay.tlsSubscribeAddress()))
                        .tls(TlsOptions.trusting(files.ca))
                        .fromSequence(0, 1)
                        .reconnect(QUICK)
                        .onEvent(events::add)
                        .build());
                RelayPublisher publisher = RelayPublisher.open(publisherAt(endpoint(relay.tlsPublishAddress()))
                        .tls(TlsOptions.trusting(files.ca))
                        .acks("orders")
                        .build())) {
            boolean[] stop = {false};
            CompletableFuture<Long> publishing = CompletableFuture.supplyAsync(() -> {
                long number = 0;
                try {
                    while (!stop[0]) {
                        number++;
                        publisher.publish(7, body(number), Duration.ofSeconds(120));
                        Thread.yield();
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return number;
            });
            long[] next = {1};
            while (connections(events) < 3) {
                subscriber.poll((sequence, type, body) -> assertThat(sequence).isEqualTo(next[0]++));
            }
            stop[0] = true;
            long last = publishing.get(120, TimeUnit.SECONDS);
            while (next[0] <= last) {
                subscriber.poll((sequence, type, body) -> assertThat(sequence).isEqualTo(next[0]++));
            }
            assertThat(events).anyMatch(event -> event instanceof SessionEvent.GoingAway);
        }
    }

    private static long connections(List<SessionEvent> events) {
        return events.stream().filter(SessionEvent.Connected.class::isInstance).count();
    }
}
