package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.config.ProxyConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.connection.Admission;
import dev.msgrelay.server.connection.ProxiedConnection;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Strange;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.ProxyHeader;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.testing.ConcurrentTest;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ports behind proxies: clients are those that the PROXY header names, and what comes without one is told so. Clients
 * of the Unix sockets beside them, which take no header, notice nothing.
 */
class ProxiedPortsTest {
    private static final String SETTINGS = "settings";
    private static final byte[] LOCAL = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a20000000");

    static Stream<Setting> settings() {
        return Setting.oneAndTwoLoops().map(each -> new Setting(each.transport(), true, each.loops()));
    }

    private static TestRelay start(Setting setting) throws IOException {
        return start(setting, builder -> builder);
    }

    private static TestRelay start(Setting setting, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return TestRelay.start(
                setting,
                builder -> more.apply(builder.set(PROXY_PROTOCOL, ProxyConfig.Mode.REQUIRED)
                        .set(PROXY_FROM, List.of(Network.parse("127.0.0.0/8")))));
    }

    /** A header of version 2 from a client's address, with the client's bytes behind it. */
    private static byte[] from(int lastNumber, byte... client) {
        byte[] bytes = Strange.proxied(client);
        bytes[19] = (byte) lastNumber;
        return bytes;
    }

    private static SocketAddress[] ports(TestRelay relay) {
        return new SocketAddress[] {
            relay.relay().publishAddress(), relay.relay().subscribeAddress()
        };
    }

    private static PlainPublisher send(SocketAddress port, byte[] bytes, int piece) throws IOException {
        PlainPublisher client = PlainPublisher.connect(port);
        for (int at = 0; at < bytes.length; at += piece) {
            client.send(ByteBuffer.wrap(bytes, at, Math.min(piece, bytes.length - at)));
        }
        return client;
    }

    private static void assertTold(SocketAddress port, byte[] bytes, CloseReason reason, String words)
            throws IOException {
        try (PlainPublisher client = send(port, bytes, Math.max(1, bytes.length))) {
            PlainPublisher.Error error = client.awaitError();
            assertThat(error.text()).contains(words);
            assertThat(error.code()).isEqualTo(reason.code());
        }
    }

    /** Notes what becomes of a connection. */
    private record Successor(Services services, List<String> ends) implements ProxiedConnection.Successor {
        @Override
        public void join(Admission.Ticket named) {
            ends.add("joined");
            services.admission().left(named);
        }

        @Override
        public void refuse(Refusal why) {
            ends.add(why.text());
        }

        @Override
        public void closed() {}
    }

    /** Waits until nothing is left of connections to the proxied ports; two neighbours stay. */
    private static void awaitNothingLeft(TestRelay relay) {
        for (Part part : new Part[] {Part.CONTROL, Part.FRAMES}) {
            Await.until("nothing in " + part, () -> Sessions.used(relay.relay(), part) == 0);
        }
        Await.until("one seat", () -> seats(relay) == 1);
        relay.awaitPublishers(1);
        relay.awaitSubscribers(1);
    }

    private static int seats(TestRelay relay) {
        return Arrays.stream(Sessions.groups(Sessions.get(relay.relay(), "engine")))
                .mapToInt(group -> group.seats())
                .sum();
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void clientsAreThoseThatTheHeaderNames(Setting setting) throws Exception {
        try (TestRelay relay = start(setting);
                PlainSubscriber subscriber =
                        PlainSubscriber.connect(relay.relay().subscribeAddress())) {
            subscriber.hello(ByteBuffer.wrap(Strange.proxiedByLine()));
            relay.awaitSubscribers(1);
            int sent = 0;
            for (int piece : new int[] {1, 5, 100_000}) {
                for (boolean line : new boolean[] {true, false}) {
                    byte[] frame =
                            new Frames().frame(Frames.type(0, sent), sent % 300).bytes();
                    byte[] bytes = line ? Strange.proxiedByLine(frame) : from(7, frame);
                    PlainPublisher publisher = send(relay.relay().publishAddress(), bytes, piece);
                    relay.awaitMessagesIn(++sent);
                    subscriber.awaitMessages(sent).received().assertAllOf(sent);
                    assertThat(relay.relay().connections())
                            .extracting(ConnectionRow::address)
                            .containsExactlyInAnyOrder("203.0.113.7:40000", "203.0.113.7:40000");
                    publisher.close();
                    relay.awaitPublishers(0);
                }
            }
            assertThat(relay.stats().get(Counter.PROXY_HEADERS)).isEqualTo(sent + 1);
            assertThat(relay.stats().closes()).isEqualTo(Map.of(CloseReason.PEER_CLOSED, (long) sent));
        }
    }

    /** The end of the client's output comes with the header, and all that stands between them is relayed. */
    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void clientsThatAreGoneAtOnce(Setting setting) throws Exception {
        try (TestRelay relay = start(setting);
                PlainSubscriber subscriber = relay.subscriber()) {
            for (int sent = 0; sent < 200; sent++) {
                byte[] frame =
                        new Frames().frame(Frames.type(0, sent), sent % 300).bytes();
                byte[] bytes = sent % 2 == 0 ? Strange.proxiedByLine(frame) : from(7, frame);
                PlainPublisher publisher = send(relay.relay().publishAddress(), bytes, bytes.length);
                if (sent % 4 < 2) {
                    publisher.close();
                } else {
                    publisher.halfClose().awaitEnd();
                }
                subscriber.awaitMessages(sent + 1);
            }
            subscriber.received().assertAllOf(200);
            // What a client sends that ends its output is answered, too.
            byte[] wrong = Strange.proxied(new byte[] {0, 0, 0, 7, 127, -1, -1, -1});
            try (PlainPublisher publisher = send(relay.relay().publishAddress(), wrong, wrong.length)) {
                assertThat(publisher.halfClose().awaitError().code()).isEqualTo(CloseReason.OVERSIZED_LENGTH.code());
            }
        }
    }

    /** HELLO behind the header, in one write: welcomed, or told why not, by the address of the header. */
    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void accessGoesByTheClientsAddress(Setting setting) throws Exception {
        String policy = "near { from = 203.0.113.7, publish = all, subscribe = all },"
                + " proxy { from = 127.0.0.0/8, publish = all, subscribe = all }";
        byte[] hello = HelloFrame.publisher().build().encode().array();
        try (TestRelay relay = start(setting, b -> b.set(ACCESS, Policies.of(policy)))) {
            try (TalkingPublisher near = TalkingPublisher.connect(relay.relay().publishAddress())) {
                near.send(ByteBuffer.wrap(from(7, hello))).await(Hello.WELCOME);
                assertThat(relay.relay().connections())
                        .extracting(ConnectionRow::identity)
                        .containsExactly("near");
            }
            byte[] asks = HelloFrame.subscriber()
                    .features(Features.PEER)
                    .build()
                    .encode()
                    .array();
            try (TalkingPublisher near = TalkingPublisher.connect(relay.relay().subscribeAddress())) {
                near.send(ByteBuffer.wrap(from(7, asks)));
                WelcomeFrame welcome =
                        WelcomeFrame.decode(near.await(Hello.WELCOME).body());
                assertThat(welcome.address()).startsWith("203.0.113.7:");
                assertThat(welcome.identity()).isEqualTo("near");
            }
            // The proxy's own address has an identity, which its clients do not get.
            assertTold(relay.relay().publishAddress(), from(8, hello), CloseReason.NOT_AUTHENTICATED, "");
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void limitsGoByTheClientsAddress(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, b -> b.set(MAX_PER_ADDRESS, 2));
                Neighbours neighbours = new Neighbours(relay)) {
            for (SocketAddress port : ports(relay)) {
                PlainPublisher one = send(relay.relay().publishAddress(), from(1), 100);
                PlainPublisher two = send(relay.relay().publishAddress(), from(1), 100);
                relay.awaitPublishers(3);
                String words = "there are 2 connections of 203.0.113.1 already";
                assertTold(port, from(1), CloseReason.TOO_MANY_FROM_ADDRESS, words);
                PlainPublisher other = send(relay.relay().publishAddress(), from(2), 100);
                relay.awaitPublishers(4);
                for (PlainPublisher each : List.of(one, two, other)) {
                    each.close();
                }
                relay.awaitPublishers(1);
            }
            neighbours.assertUnaffected();
            awaitNothingLeft(relay);
        }
    }

    /** Those that wait for their header count among all connections, and give their place back. */
    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void connectionsInAll(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, b -> b.set(MAX_CONNECTIONS, 4));
                Neighbours neighbours = new Neighbours(relay)) {
            int pairs = 0;
            for (int i = 0; i < 3; i++) {
                for (SocketAddress port : ports(relay)) {
                    PlainPublisher silent = send(port, new byte[0], 1);
                    PlainPublisher begun = send(port, Arrays.copyOf(from(1), 20), 100);
                    assertTold(port, new byte[0], CloseReason.TOO_MANY_CONNECTIONS, "4 connections");
                    silent.close();
                    begun.close();
                    pairs++;
                    // One of the pair had sent no byte, the other one a part of its header.
                    relay.awaitClosed(CloseReason.TRUNCATED_FRAME, pairs);
                    relay.awaitClosed(CloseReason.PEER_CLOSED, pairs);
                    awaitNothingLeft(relay);
                }
            }
            assertThat(relay.stats().get(Counter.PROBES)).isEqualTo(pairs);
            assertThat(relay.stats().get(Counter.PROXY_REFUSED)).isEqualTo(pairs);
            neighbours.assertUnaffected();
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void otherAddressesThanThoseOfTheProxies(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, b -> b.set(PROXY_FROM, List.of(Network.parse("192.0.2.0/24"))));
                Neighbours neighbours = new Neighbours(relay)) {
            for (SocketAddress port : ports(relay)) {
                for (byte[] bytes : new byte[][] {{}, from(7), {0}}) {
                    assertTold(port, bytes, CloseReason.NOT_PERMITTED, "only through its proxies");
                }
            }
            assertThat(relay.stats().closes()).isEqualTo(Map.of(CloseReason.NOT_PERMITTED, 6L));
            assertThat(relay.stats().get(Counter.PROXY_UNTRUSTED)).isEqualTo(6);
            neighbours.assertUnaffected();
            awaitNothingLeft(relay);
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void noHeader(Setting setting) throws Exception {
        try (TestRelay relay = start(setting);
                Neighbours neighbours = new Neighbours(relay)) {
            byte[][] first = {
                new byte[] {0},
                new Frames().frame(7, 100).bytes(),
                HelloFrame.subscriber().build().encode().array(),
                Strange.clientHello(200),
                Strange.ascii("PROXYING")
            };
            for (SocketAddress port : ports(relay)) {
                for (byte[] bytes : first) {
                    assertTold(port, bytes, CloseReason.UNEXPECTED_INPUT, "the first bytes are no PROXY header");
                }
                String wrong = "PROXY TCP4 203.0.113.7 192.0.2.1 65536 7401\r\n";
                assertTold(port, Strange.ascii(wrong), CloseReason.UNEXPECTED_INPUT, "a malformed PROXY header: ");
                byte[] endless = Strange.ascii("PROXY TCP4 " + "1".repeat(200));
                assertTold(port, endless, CloseReason.UNEXPECTED_INPUT, "no end within 107 bytes");
            }
            assertThat(relay.stats().closes()).isEqualTo(Map.of(CloseReason.UNEXPECTED_INPUT, 14L));
            assertThat(relay.stats().get(Counter.PROXY_REFUSED)).isEqualTo(14);
            neighbours.assertUnaffected();
            awaitNothingLeft(relay);
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void aHeaderThatDoesNotComeInTime(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, b -> b.set(HANDSHAKE_TIMEOUT, Duration.ofSeconds(1)));
                Neighbours neighbours = new Neighbours(relay)) {
            for (SocketAddress port : ports(relay)) {
                assertTold(port, new byte[0], CloseReason.HANDSHAKE_TIMEOUT, "within 1000 ms: 0 bytes of it");
                // On a busy machine the bytes may come behind the end of the time.
                byte[] half = Arrays.copyOf(from(7), 20);
                assertTold(port, half, CloseReason.HANDSHAKE_TIMEOUT, "within 1000 ms: ");
            }
            assertThat(relay.stats().closes()).isEqualTo(Map.of(CloseReason.HANDSHAKE_TIMEOUT, 4L));
            neighbours.assertUnaffected();
            awaitNothingLeft(relay);
        }
    }

    /** In virtual time: it is told how much has come of the header. */
    @Test
    void halfAHeaderInTime() throws Exception {
        try (TestRelay relay =
                start(new Setting(Transport.NIO, true, 1), b -> b.set(HANDSHAKE_TIMEOUT, Duration.ofMillis(200)))) {
            Services services =
                    Sessions.<RelayEngine>get(relay.relay(), "engine").services();
            List<String> ends = new ArrayList<>();
            MockTicker clock = Ticker.newMockTicker();
            EmbeddedChannel channel = EmbeddedChannel.builder()
                    .register(false)
                    .hasDisconnect(false)
                    .ticker(clock)
                    .build();
            ProxiedConnection.addTo(
                    channel,
                    services,
                    services.admission().admitUnnamed(true, 0).ticket(),
                    new Successor(services, ends));
            channel.register();
            channel.writeInbound(Unpooled.wrappedBuffer(from(7), 0, 20));
            clock.advanceMillis(199);
            channel.runScheduledPendingTasks();
            assertThat(ends).isEmpty();
            clock.advanceMillis(1);
            channel.runScheduledPendingTasks();
            assertThat(ends).containsExactly("no PROXY header within 200 ms: 20 bytes of it have come");
            assertThat(Sessions.used(relay.relay(), Part.CONTROL)).isZero();
            channel.close();
            channel.finishAndReleaseAll();
        }
    }

    /** A proxy's own connections are counted, and end in order: by the proxy, or by the relay. */
    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void checksOfTheProxy(Setting setting) throws Exception {
        try (TestRelay relay = start(setting);
                Neighbours neighbours = new Neighbours(relay)) {
            int checks = 0;
            for (SocketAddress port : ports(relay)) {
                for (byte[] check : new byte[][] {LOCAL, Strange.ascii("PROXY UNKNOWN\r\n")}) {
                    assertTold(port, check, CloseReason.UNSUPPORTED, "names no client that has an address");
                    send(port, check, 100).close();
                    send(port, check, 1).reset();
                    checks += 3;
                    int sum = checks;
                    Await.until(
                            () -> sum + " checks: " + relay.stats(),
                            () -> relay.stats().get(Counter.PROXY_LOCAL)
                                            + relay.stats().get(Counter.PROBES)
                                    == sum);
                }
            }
            // Nothing else is counted, and PEER_CLOSED is no warning. A reset may overtake the header: a probe then.
            assertThat(relay.stats().closes().keySet())
                    .isSubsetOf(CloseReason.PEER_CLOSED, CloseReason.TRUNCATED_FRAME);
            neighbours.assertUnaffected();
            awaitNothingLeft(relay);
        }
    }

    /** A connection that cannot be made ends alone, and gives its places back. */
    @Test
    void aConnectionThatCannotBeMade() throws Exception {
        try (TestRelay relay = start(new Setting(Transport.NIO, true, 1), b -> b.set(MAX_CONNECTIONS, 3));
                Neighbours neighbours = new Neighbours(relay)) {
            Services services =
                    Sessions.<RelayEngine>get(relay.relay(), "engine").services();
            Admission.Ticket ticket = services.admission().admitUnnamed(true, 0).ticket();
            AtomicInteger closed = new AtomicInteger();
            EmbeddedChannel channel = new EmbeddedChannel(false, false);
            ProxiedConnection.addTo(channel, services, ticket, new ProxiedConnection.Successor() {
                @Override
                public void join(Admission.Ticket named) {
                    services.admission().left(named);
                    throw new IllegalStateException("of a test");
                }

                @Override
                public void refuse(Refusal why) {
                    throw new AssertionError(why);
                }

                @Override
                public void closed() {
                    closed.incrementAndGet();
                }
            });
            channel.register();
            channel.writeInbound(Unpooled.wrappedBuffer(Strange.proxied()));
            assertThat(channel.isOpen()).isFalse();
            assertThat(closed).hasValue(1);
            assertThat(relay.stats().get(Counter.FAILURES)).isEqualTo(1);
            // The third place is free, and no more than that.
            assertThat(services.admission().admitUnnamed(false, 0).refusal()).isNull();
            assertThat(services.admission().admitUnnamed(false, 0).refusal()).isNotNull();
            neighbours.assertUnaffected();
        }
    }

    /** A connection lives on for hours behind its header, whose memory is given back: its bytes are gone, too. */
    @Test
    void nothingIsKeptOfALongHeader() throws Exception {
        byte[] client = Arrays.copyOf(from(7), ProxyHeader.MOST_2);
        client[14] = client[15] = (byte) 0xFF;
        int value = ProxyHeader.MOST_2 - 28 - 3;
        System.arraycopy(new byte[] {(byte) 0xEE, (byte) (value >> 8), (byte) value}, 0, client, 28, 3);
        byte[] check = Arrays.copyOf(LOCAL, ProxyHeader.MOST_2);
        check[14] = check[15] = (byte) 0xFF;
        byte[] malformed = client.clone();
        malformed[29] = (byte) 0xFF;
        try (TestRelay relay = start(new Setting(Transport.NIO, true, 1))) {
            Services services =
                    Sessions.<RelayEngine>get(relay.relay(), "engine").services();
            for (byte[] whole : new byte[][] {client, check, malformed}) {
                Admission.Ticket ticket =
                        services.admission().admitUnnamed(true, 0).ticket();
                EmbeddedChannel channel = new EmbeddedChannel(false, false);
                List<String> ends = new ArrayList<>();
                ProxiedConnection.addTo(channel, services, ticket, new Successor(services, ends));
                channel.register();
                ProxyHeader header = Sessions.get(channel.pipeline().get(ProxiedConnection.class), "header");
                channel.writeInbound(Unpooled.wrappedBuffer(whole, 0, 20));
                assertThat(Sessions.<byte[]>get(header, "bytes")).hasSize(ProxyHeader.MOST_2);
                channel.writeInbound(Unpooled.wrappedBuffer(whole, 20, whole.length - 20));
                assertThat(channel.isOpen()).isTrue();
                assertThat(ends).hasSize(whole == check ? 0 : 1);
                assertThat(Sessions.<byte[]>get(header, "bytes")).as("%s", ends).isEmpty();
                assertThat(Sessions.used(relay.relay(), Part.CONTROL)).isZero();
                channel.close();
                channel.finishAndReleaseAll();
            }
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SETTINGS)
    void theLongestHeader(Setting setting) throws Exception {
        byte[] frame = new Frames().frame(Frames.type(0, 0), 0).bytes();
        byte[] longest = Arrays.copyOf(from(7), ProxyHeader.MOST_2 + frame.length);
        int value = ProxyHeader.MOST_2 - 28 - 3;
        System.arraycopy(new byte[] {(byte) 0xFF, (byte) 0xFF}, 0, longest, 14, 2);
        System.arraycopy(new byte[] {(byte) 0xEE, (byte) (value >> 8), (byte) value}, 0, longest, 28, 3);
        System.arraycopy(frame, 0, longest, ProxyHeader.MOST_2, frame.length);
        try (TestRelay relay = start(setting, b -> b.set(CONTROL_SIZE, 128 << 10));
                PlainSubscriber subscriber = relay.subscriber()) {
            PlainPublisher publisher = send(relay.relay().publishAddress(), longest, 10_000);
            subscriber.awaitMessages(1).received().assertAllOf(1);
            assertThat(Sessions.used(relay.relay(), Part.CONTROL)).isZero();
            publisher.close();
            // One more than there is room for.
            byte[] begun = Arrays.copyOf(longest, 20);
            PlainPublisher one = send(relay.relay().publishAddress(), begun, 100);
            Await.until("a header's memory", () -> Sessions.used(relay.relay(), Part.CONTROL) > 0);
            assertTold(relay.relay().publishAddress(), begun, CloseReason.MEMORY_LIMIT, "65551 bytes");
            one.close();
            Await.until("nothing left", () -> Sessions.used(relay.relay(), Part.CONTROL) == 0);
        }
    }
}
