package dev.msgrelay.client.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayErrorException;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.RelayUnsuitableException;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A relay that wants to know who its clients are, and the client's side of it. */
class AccessSystemTest {
    private static final Token TOKEN = Token.of("the-token-of-this-test");
    private static final ReconnectPolicy QUICK =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(1), Duration.ofMillis(50));

    @TempDir
    private Path folder;

    private static AccessPolicy policy(String publish, String subscribe) {
        return new AccessPolicy(List.of(new Identity(
                "tester",
                List.of(TokenHash.of(TOKEN)),
                List.of(),
                List.of(),
                List.of(),
                TypeRanges.parse(publish),
                TypeRanges.parse(subscribe),
                Identity.UNLIMITED,
                Identity.UNLIMITED,
                Identity.UNLIMITED,
                Identity.LEAST_INTERVAL,
                Identity.UNLIMITED)));
    }

    private static RelayConfig.Builder config() {
        return RelayConfig.builder(0, 0)
                .set(HEARTBEAT, Duration.ofMillis(100))
                .set(HANDSHAKE_TIMEOUT, Duration.ofSeconds(120));
    }

    private static Endpoint publishPort(RelayServer relay) {
        return Endpoint.tcp("127.0.0.1", relay.publishAddress().getPort());
    }

    private static Endpoint subscribePort(RelayServer relay) {
        return Endpoint.tcp("127.0.0.1", relay.subscribeAddress().getPort());
    }

    @Test
    void aTokenIsShownAndAWrongOneStops() throws Exception {
        try (RelayServer relay = RelayServer.start(
                        config().set(ACCESS, policy("1-9", "all")).build());
                RelayPublisher right = RelayPublisher.open(PublisherOptions.builder(publishPort(relay))
                        .acks("orders")
                        .token(TOKEN)
                        .build());
                RelayPublisher wrong = RelayPublisher.open(PublisherOptions.builder(publishPort(relay))
                        .reconnect(QUICK)
                        .token(Token.of("another"))
                        .build())) {
            assertThat(right.publish(9, ByteBuffer.allocate(4), Duration.ofSeconds(120)))
                    .isSameAs(PublishOutcome.ACCEPTED);
            right.flush(Duration.ofSeconds(120));
            PublishOutcome outcome;
            do {
                outcome = wrong.publish(9, ByteBuffer.allocate(4), Duration.ofSeconds(120));
            } while (outcome == PublishOutcome.ACCEPTED);
            assertThatThrownBy(wrong::close).hasMessageContaining(CloseReason.NOT_AUTHENTICATED.text());
            assertThat(wrong.failure().orElseThrow())
                    .isInstanceOfSatisfying(RelayErrorException.class, e -> assertThat(e.reason())
                            .isSameAs(CloseReason.NOT_AUTHENTICATED));
            // It did not try again what cannot succeed.
            assertThat(relay.stats().closes()).containsEntry(CloseReason.NOT_AUTHENTICATED, 1L);
        }
    }

    @Test
    void pingAndInfoTellWhetherTheTypesAreAll() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), TOKEN.text());
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        for (String types : new String[] {"all", "1-5"}) {
            try (RelayServer relay =
                    RelayServer.start(config().set(ACCESS, policy("1-9", types)).build())) {
                String subscribe = subscribePort(relay).toString();
                String publish = publishPort(relay).toString();
                CommandRun ping = CommandRun.of("ping", "--token-file", token.toString(), subscribe);
                assertThat(ping.out())
                        .as(ping.err())
                        .containsPattern(", may subscribe" + (types.equals("all") ? "" : " some types")
                                + " as tester from 127\\.0\\.0\\.1:\\d+, epoch ");
                CommandRun info = CommandRun.of("info", "--json", "--token-file", token.toString(), subscribe, publish);
                assertThat(info.out().lines())
                        .as(info.err())
                        .satisfiesExactly(
                                line -> assertThat(line)
                                        .contains(
                                                types.equals("all")
                                                        ? "\"types\":\"all\""
                                                        : "\"types\":\"some; the relay does not say which\""),
                                line -> assertThat(line)
                                        .contains("\"types\":\"not told to a publisher; the relay refuses"));
            }
        }
    }

    /**
     * Whoever asks for everything, and may have a part of it, counts right through messages, PINGs and a new
     * connection.
     */
    @Test
    void fewerTypesThanWereAskedFor() throws Exception {
        List<Long> had = new ArrayList<>();
        List<Object> gaps = new CopyOnWriteArrayList<>();
        List<SessionEvent> events = new CopyOnWriteArrayList<>();
        try (RelayServer relay = RelayServer.start(
                        config().set(ACCESS, policy("all", "2,4")).build());
                LocalPublisher publisher = relay.newLocalPublisher();
                RelaySubscriber subscriber = RelaySubscriber.open(SubscriberOptions.builder(subscribePort(relay))
                        .reconnect(QUICK)
                        .token(TOKEN)
                        .onGap(gaps::add)
                        .onEvent(events::add)
                        .build())) {
            poll(subscriber, had, () -> events.stream().anyMatch(e -> e instanceof SessionEvent.Connected));
            publish(publisher, 1, 20);
            poll(subscriber, had, () -> subscriber.next() == 21);
            assertThat(had).containsExactly(2L, 4L, 7L, 9L, 12L, 14L, 17L, 19L);
            // Fewer still: the relay ends the connection, and the subscriber goes on behind what it has had.
            relay.reload(config().set(ACCESS, policy("all", "4")).build());
            poll(
                    subscriber,
                    had,
                    () -> events.stream()
                                    .filter(e -> e instanceof SessionEvent.Connected)
                                    .count()
                            == 2);
            publish(publisher, 21, 30);
            poll(subscriber, had, () -> subscriber.next() == 31);
            assertThat(had).endsWith(19L, 24L, 29L).hasSize(10);
            assertThat(gaps).isEmpty();
            assertThat(relay.stats().closes())
                    .containsEntry(CloseReason.REVOKED, 1L)
                    .hasSize(1);
        }
    }

    private static void publish(LocalPublisher publisher, long from, long to) {
        for (long number = from; number <= to; number++) {
            ByteBuffer body = ByteBuffer.allocateDirect(8).putLong(0, number);
            assertThat(publisher.publish((int) (number % 5), body, TimeUnit.SECONDS.toNanos(120)))
                    .isSameAs(PublishOutcome.ACCEPTED);
        }
    }

    private static void poll(RelaySubscriber subscriber, List<Long> had, java.util.function.BooleanSupplier done)
            throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime()).as("so far %s", had).isLessThan(end);
            subscriber.poll((sequence, type, body) -> {
                assertThat(body.getLong(body.position())).isEqualTo(sequence);
                had.add(sequence);
            });
        }
    }

    @Test
    void noTokenInTheClearBeyondTheHost() throws Exception {
        InetAddress beyond = Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                .flatMap(i -> Collections.list(i.getInetAddresses()).stream())
                .filter(a -> !a.isLoopbackAddress() && !a.isLinkLocalAddress() && a.getAddress().length == 4)
                .findFirst()
                .orElse(null);
        ThisMachine.need(beyond != null, "this machine has no IPv4 address but loopback");
        try (RelayServer relay = RelayServer.start(config().set(BIND, beyond.getHostAddress())
                        .set(ACCESS, policy("all", "all"))
                        .build());
                RelayPublisher publisher = RelayPublisher.open(PublisherOptions.builder(Endpoint.tcp(
                                beyond.getHostAddress(), relay.publishAddress().getPort()))
                        .token(TOKEN)
                        .build())) {
            PublishOutcome outcome;
            do {
                outcome = publisher.publish(1, ByteBuffer.allocate(4), Duration.ofSeconds(120));
            } while (outcome == PublishOutcome.ACCEPTED);
            assertThatThrownBy(publisher::close)
                    .cause()
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessageContaining("the token is not sent to")
                    .hasMessageNotContaining(TOKEN.text());
        }
        // With TLS nobody else reads it.
        TlsFolder files = new TlsFolder(folder);
        X509Bundle own = files.signed("CN=relay of a test", b -> b.addSanIpAddress(beyond.getHostAddress()));
        try (RelayServer relay = RelayServer.start(config().set(BIND, beyond.getHostAddress())
                        .set(ACCESS, policy("all", "all"))
                        .set(TLS_FILES, files.files(own, false))
                        .set(TLS_PUBLISH_PORT, 0)
                        .set(TLS_SUBSCRIBE_PORT, 0)
                        .build());
                RelayPublisher publisher =
                        RelayPublisher.open(PublisherOptions.builder(Endpoint.of(relay.tlsPublishAddress()))
                                .acks("orders")
                                .token(TOKEN)
                                .tls(TlsOptions.trusting(files.ca))
                                .build())) {
            assertThat(publisher.publish(1, ByteBuffer.allocate(4), Duration.ofSeconds(120)))
                    .isSameAs(PublishOutcome.ACCEPTED);
            publisher.flush(Duration.ofSeconds(120));
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
        }
    }

    @Test
    void aTokenGoesWithHello() {
        assertThatThrownBy(() -> PublisherOptions.builder(Endpoint.tcp("127.0.0.1", 1))
                        .plain()
                        .token(TOKEN)
                        .build())
                .hasMessageContaining("the plain mode has no name, token");
        assertThatThrownBy(() -> SubscriberOptions.builder(Endpoint.tcp("127.0.0.1", 1))
                        .plain()
                        .token(TOKEN)
                        .build())
                .hasMessageContaining("the plain mode has no name, token");
    }

    /** By a file, by the environment, and by a context: as a user starts the command. */
    @Test
    void theCommand() throws Exception {
        Path tokenFile = Files.writeString(folder.resolve("tester.token"), TOKEN.text() + "\n");
        Path contexts = Files.createDirectories(folder.resolve("relay-client"));
        try (RelayServer relay =
                RelayServer.start(config().set(ACCESS, policy("7", "all")).build())) {
            Files.write(
                    contexts.resolve("here.conf"),
                    List.of("# this one", "publish = " + publishPort(relay), "token-file = ../tester.token"));
            String endpoint = publishPort(relay).toString();
            assertThat(publishHere(endpoint, "--token-file", tokenFile.toString()))
                    .isEqualTo("0 ");
            assertThat(publish(List.of("RELAY_TOKEN=" + TOKEN.text()), endpoint))
                    .isEqualTo("0 ");
            assertThat(publish(List.of("RELAY_CONTEXT=here"))).isEqualTo("0 ");
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(3);
            Path wrong = Files.writeString(folder.resolve("wrong.token"), "wr0ng\n");
            assertThat(publishHere(endpoint, "--token-file", wrong.toString()))
                    .startsWith("1 ")
                    .contains("not authenticated")
                    .doesNotContain("wr0ng");
            assertThat(publishHere(endpoint, "--token-file", "/no/such/file"))
                    .isEqualTo("1 relay-client publish: cannot read the token: no file /no/such/file\n");
            assertThat(publishHere("--context", "no-such-context"))
                    .startsWith("1 relay-client publish: there is no context no-such-context: no file ");
            Files.write(contexts.resolve("bad.conf"), List.of("", "tokn = s3cret"));
            assertThat(publish(List.of(), "--context", "bad"))
                    .startsWith("1 relay-client publish: " + contexts.resolve("bad.conf") + ":2: is not KEY = VALUE")
                    .doesNotContain("s3cret");
        }
    }

    /** All that a client needs is in its context; who it is says its certificate. */
    @Test
    void theCommandWithACertificate() throws Exception {
        TlsFolder files = new TlsFolder(folder);
        X509Bundle own = files.signed("CN=tester", b -> b);
        RelayConfig.Builder secured = config().set(TLS_FILES, files.files(files.relay(), true))
                .set(TLS_PUBLISH_PORT, 0)
                .set(TLS_SUBSCRIBE_PORT, 0);
        Path contexts = Files.createDirectories(folder.resolve("relay-client"));
        try (RelayServer relay =
                RelayServer.start(secured.set(ACCESS, certificate("7")).build())) {
            Files.write(
                    contexts.resolve("here.conf"),
                    List.of(
                            "publish = " + Endpoint.of(relay.tlsPublishAddress()),
                            "tls-ca = ../" + folder.relativize(files.ca),
                            "tls-cert = " + files.certificate(own),
                            "tls-key = " + files.key(own)));
            assertThat(publish(List.of(), "--context", "here")).isEqualTo("0 ");
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
            relay.reload(secured.set(ACCESS, certificate("8")).build());
            assertThat(publishHere(
                            Endpoint.of(relay.tlsPublishAddress()).toString(),
                            "--name=tester",
                            "--tls-ca=" + files.ca,
                            "--tls-cert=" + files.certificate(own),
                            "--tls-key=" + files.key(own)))
                    .startsWith("1 ")
                    .contains("not permitted");
        }
    }

    private static AccessPolicy certificate(String publish) {
        return new AccessPolicy(List.of(new Identity(
                "tester",
                List.of(),
                List.of(new X500Principal("CN=tester")),
                List.of(),
                List.of(),
                TypeRanges.parse(publish),
                null,
                Identity.UNLIMITED,
                Identity.UNLIMITED,
                Identity.UNLIMITED,
                Identity.LEAST_INTERVAL,
                Identity.UNLIMITED)));
    }

    /** As below, within this process. */
    private static String publishHere(String... args) {
        String[] all = Stream.concat(Stream.of("publish", "--quiet", "--type=7"), Stream.of(args))
                .toArray(String[]::new);
        CommandRun run = CommandRun.withInput("one\n".getBytes(StandardCharsets.UTF_8), all);
        return run.exitCode() + " " + run.err();
    }

    /** Exit code and standard error of a run that publishes one line; quiet, so that only failures are told. */
    private String publish(List<String> environment, String... args) throws Exception {
        List<String> command =
                TestProcess.javaCommand("dev.msgrelay.client.cli.RelayClientMain", "publish", "--quiet", "--type=7");
        command.addAll(List.of(args));
        Map<String, String> all = new HashMap<>(Map.of("XDG_CONFIG_HOME", folder.toString()));
        environment.forEach(e -> all.put(e.split("=", 2)[0], e.split("=", 2)[1]));
        try (TestProcess process = new TestProcess(command, all)) {
            process.writeInput("one\n");
            int code = process.awaitExit();
            return code + " "
                    + process.errors().stream().map(line -> line + "\n").collect(Collectors.joining());
        }
    }
}
