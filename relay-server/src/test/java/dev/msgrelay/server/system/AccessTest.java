package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Vectors;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may do what, over real sockets: each refusal is one ERROR and a counted close, and costs nobody else a thing. */
class AccessTest {
    private static final String SOCKETS = "dev.msgrelay.server.harness.Setting#sockets";
    private static final String NO_TOKEN = "HELLO with a token is needed here";
    private static final String UNKNOWN_TOKEN = "the token is not one that is known here";

    private static final String USUAL = """
            orders { token = orders, publish = "1-99" }
            audit { token = audit, subscribe = "1-99,200" }
            both { token = both, publish = all, subscribe = all }
            """;

    private static TestRelay start(Setting setting, String policy) throws IOException {
        return start(setting, policy, builder -> builder);
    }

    private static TestRelay start(Setting setting, String policy, UnaryOperator<RelayConfig.Builder> more)
            throws IOException {
        return TestRelay.start(setting, builder -> more.apply(builder.set(ACCESS, Policies.of(policy))));
    }

    private static void reload(TestRelay relay, AccessPolicy policy) throws IOException {
        relay.relay().reload(RelayConfig.builder().set(ACCESS, policy).build());
    }

    private static HelloFrame.Builder publisher(String token) {
        return HelloFrame.publisher().token(Token.of(token));
    }

    private static HelloFrame.Builder subscriber(String token) {
        return HelloFrame.subscriber().token(Token.of(token));
    }

    private static TalkingPublisher connect(SocketAddress to, HelloFrame.Builder hello) throws IOException {
        return TalkingPublisher.connect(to).send(hello.build().encode());
    }

    private static TalkingPublisher welcomed(SocketAddress to, HelloFrame.Builder hello) throws IOException {
        TalkingPublisher client = connect(to, hello);
        client.await(Hello.WELCOME);
        return client;
    }

    private static TalkingPublisher publishing(TestRelay relay, String token) throws IOException {
        return welcomed(relay.publish(), publisher(token));
    }

    private static void assertRefused(SocketAddress to, HelloFrame.Builder hello, CloseReason reason, String text)
            throws IOException {
        try (TalkingPublisher client = connect(to, hello)) {
            assertError(client, reason, text);
        }
    }

    private static void assertError(TalkingPublisher client, CloseReason reason, String text) throws IOException {
        Control error = client.awaitError();
        assertThat(CloseReason.ofCode(error.code())).as(error.text()).isEqualTo(reason);
        assertThat(error.text()).isEqualTo(text);
    }

    private static Frames frames(int count, int type, int body) {
        Frames frames = new Frames();
        for (int i = 0; i < count; i++) {
            frames.frame(type, body);
        }
        return frames;
    }

    // ---- who it is ---------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aTokenLetsInAndNothingElseDoes(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, USUAL);
                TalkingPublisher all = welcomed(relay.subscribe(), subscriber("both"));
                TalkingPublisher orders = publishing(relay, "orders");
                TalkingPublisher plain = TalkingPublisher.connect(relay.publish())) {
            orders.send(new Frames().frame(1, 4).frame(99, 4));
            relay.awaitMessagesIn(2);
            assertRefused(relay.publish(), publisher("nobody"), CloseReason.NOT_AUTHENTICATED, UNKNOWN_TOKEN);
            assertRefused(relay.publish(), HelloFrame.publisher(), CloseReason.NOT_AUTHENTICATED, NO_TOKEN);
            plain.send(new Frames().frame(1, 4));
            assertError(plain, CloseReason.NOT_AUTHENTICATED, NO_TOKEN);
            assertRefused(relay.publish(), publisher("audit"), CloseReason.NOT_PERMITTED, "audit may not publish");
            assertRefused(
                    relay.subscribe(), subscriber("orders"), CloseReason.NOT_PERMITTED, "orders may not subscribe");
            // A token that is too long, empty or cut is no part of a frame, whoever it is.
            for (Vectors vector : Vectors.named(name -> name.startsWith("bad-hello-token-"))) {
                try (TalkingPublisher client =
                        TalkingPublisher.connect(relay.subscribe()).send(vector.bytes())) {
                    assertThat(CloseReason.ofCode(client.awaitError().code()))
                            .as(vector.name())
                            .isEqualTo(CloseReason.MALFORMED_CONTROL);
                }
            }
            // Of none of them has anything come into the stream; the good one goes on.
            orders.send(new Frames().frame(5, 4));
            assertThat(types(all, 3)).containsExactly(1, 99, 5);
            assertThat(relay.closed(CloseReason.NOT_AUTHENTICATED)).isEqualTo(3);
            assertThat(relay.closed(CloseReason.NOT_PERMITTED)).isEqualTo(2);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void helloAndMessagesInOne(Setting setting) throws Exception {
        Frames all = new Frames()
                .raw(publisher("orders").build().encode().array())
                .frame(7, 4)
                .frame(100, 4)
                .frame(8, 4);
        try (TestRelay relay = start(setting, USUAL);
                TalkingPublisher orders =
                        TalkingPublisher.connect(relay.publish()).send(all)) {
            assertThat(orders.next().type()).isEqualTo(Hello.WELCOME);
            assertError(orders, CloseReason.NOT_PERMITTED, "type 100 may not be published: 1-99 may");
            relay.awaitMessagesIn(1);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SOCKETS)
    void whoSaysNothingIsNotKept(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, USUAL, b -> b.set(HANDSHAKE_TIMEOUT, Duration.ofSeconds(5)));
                PlainPublisher subscriber = PlainPublisher.connect(relay.subscribe());
                TalkingPublisher silent = TalkingPublisher.connect(relay.publish());
                TalkingPublisher orders = publishing(relay, "orders")) {
            orders.send(new Frames().frame(1, 4));
            // The subscriber has got no message before it is told.
            PlainPublisher.Error error = subscriber.awaitError();
            assertThat(error.code()).isEqualTo(CloseReason.NOT_AUTHENTICATED.code());
            assertThat(error.text()).isEqualTo(NO_TOKEN);
            assertError(silent, CloseReason.NOT_AUTHENTICATED, NO_TOKEN);
            relay.awaitClosed(CloseReason.NOT_AUTHENTICATED, 2);
            orders.send(new Frames().frame(1, 4));
            relay.awaitMessagesIn(2);
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void byNetworkWithoutAWord(Setting setting) throws Exception {
        String policy = "near { from = " + here(setting)
                + ", publish = 1-9, subscribe = 5 }, both { token = both, publish = all }";
        try (TestRelay relay = start(setting, policy);
                TalkingPublisher plain = TalkingPublisher.connect(relay.publish());
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher other = publishing(relay, "both")) {
            other.send(new Frames().frame(4, 4).frame(5, 4).frame(6, 4));
            relay.awaitMessagesIn(3);
            plain.send(new Frames().frame(5, 8).frame(9, 4));
            relay.awaitMessagesIn(5);
            subscriber.awaitMessages(2);
            assertThat(subscriber.received().types()).containsExactly(5, 5);
            assertThat(relay.relay().connections())
                    .extracting(ConnectionRow::identity)
                    .containsExactlyInAnyOrder("near", "near", "both");
            plain.send(new Frames().frame(10, 4));
            assertError(plain, CloseReason.NOT_PERMITTED, "type 10 may not be published: 1-9 may");
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void byTheUserOfAUnixSocket(Setting setting) throws Exception {
        String policy = "me { user = " + ThisMachine.uid() + ", publish = all }, other { user = "
                + (ThisMachine.uid() + 1) + ", publish = all }";
        try (TestRelay relay = start(setting, policy, b -> b.set(HANDSHAKE_TIMEOUT, Duration.ofMillis(200)));
                PlainPublisher plain = relay.publisher()) {
            if (setting.unix()) {
                plain.send(new Frames().frame(1, 1));
                relay.awaitMessagesIn(1);
                assertThat(relay.relay().connections().get(0).identity()).isEqualTo("me");
            } else {
                assertThat(plain.awaitError().code()).isEqualTo(CloseReason.NOT_AUTHENTICATED.code());
            }
        }
    }

    // ---- types -------------------------------------------------------------------------------------------------

    /** How a frame whose type is not allowed comes, behind others that are. */
    private enum Comes {
        WITH_MORE_BEHIND,
        BYTE_BY_BYTE,
        ANNOUNCED
    }

    /** With a reader loop, that one reads, and hands on through the ring. */
    record Way(Setting setting, int readers) {}

    static java.util.stream.Stream<Way> ways() {
        return java.util.stream.Stream.concat(
                Setting.sockets().map(s -> new Way(s, 0)), Setting.transports().map(s -> new Way(s, 1)));
    }

    private static String here(Setting setting) {
        return setting.unix() ? "unix" : "127.0.0.0/8";
    }

    @ParameterizedTest
    @MethodSource("ways")
    void typesAtTheBordersOfARange(Way way) throws Exception {
        String policy = "p { from = " + here(way.setting()) + ", publish = \"-5--1,7,2147483647\" }";
        Frames good = new Frames();
        for (int type : new int[] {-5, -1, 7, Integer.MAX_VALUE}) {
            good.frame(type, 3).frame(type, 3);
        }
        int[] bad = {-6, 0, 6, 8, Integer.MAX_VALUE - 1, -2147483392};
        try (TestRelay relay = start(way.setting(), policy, b -> b.set(READER_LOOPS, way.readers()))) {
            int in = 0;
            for (Comes comes : Comes.values()) {
                for (int type : bad) {
                    try (PlainPublisher publisher = relay.publisher()) {
                        publisher.send(new Frames().frame(7, 3));
                        relay.awaitMessagesIn(++in);
                        Await.until("its loop", () -> way.readers() == 0 || isReadElsewhere(relay));
                        Frames frames = new Frames().raw(good.bytes());
                        in += 8;
                        switch (comes) {
                            case WITH_MORE_BEHIND ->
                                publisher.send(frames.frame(type, 3).frame(7, 3));
                            case BYTE_BY_BYTE -> {
                                for (byte each : frames.header(type, 3).bytes()) {
                                    publisher.send(new Frames().raw(each));
                                }
                            }
                            case ANNOUNCED -> publisher.send(frames.header(type, 500_000));
                        }
                        PlainPublisher.Error error = publisher.awaitError();
                        assertThat(CloseReason.ofCode(error.code())).isEqualTo(CloseReason.NOT_PERMITTED);
                        assertThat(error.text())
                                .isEqualTo("type " + type + " may not be published: -5--1,7,2147483647 may");
                    }
                    relay.awaitPublishers(0);
                    relay.awaitMessagesIn(in);
                    assertThat(relay.stats().get(Counter.MESSAGES_IN))
                            .as("%s", comes)
                            .isEqualTo(in);
                }
            }
            assertThat(relay.closed(CloseReason.NOT_PERMITTED)).isEqualTo(Comes.values().length * bad.length);
        }
    }

    private static boolean isReadElsewhere(TestRelay relay) {
        return Sessions.of(relay.relay()).stream()
                .allMatch(connection -> !Sessions.thread(connection).equals(Sessions.CORE));
    }

    /** WELCOME has them for a client that asks for PEER, and nothing for others; nobody is granted an interval. */
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aClientIsToldItsAddressAndIdentity(Setting setting) throws Exception {
        HelloFrame.Builder asks = subscriber("both").features(Features.PEER | Features.INTERVAL);
        try (TestRelay relay = start(setting, USUAL);
                TalkingPublisher reader = connect(relay.subscribe(), asks);
                TalkingPublisher writer =
                        connect(relay.publish(), publisher("orders").features(Features.PEER));
                TalkingPublisher other = connect(relay.publish(), publisher("orders"))) {
            WelcomeFrame welcome =
                    WelcomeFrame.decode(reader.await(Hello.WELCOME).body());
            assertThat(welcome.features()).isEqualTo(Features.PEER);
            assertThat(welcome.address()).isEqualTo(reader.localAddress());
            assertThat(welcome.identity()).isEqualTo("both");
            welcome = WelcomeFrame.decode(writer.await(Hello.WELCOME).body());
            assertThat(welcome.address()).isEqualTo(writer.localAddress());
            assertThat(welcome.identity()).isEqualTo("orders");
            welcome = WelcomeFrame.decode(other.await(Hello.WELCOME).body());
            assertThat(welcome.features()).isZero();
        }
        // Without access rules a client has no identity.
        try (TestRelay relay = TestRelay.start(setting, builder -> builder);
                TalkingPublisher reader =
                        connect(relay.subscribe(), HelloFrame.subscriber().features(Features.PEER))) {
            WelcomeFrame welcome =
                    WelcomeFrame.decode(reader.await(Hello.WELCOME).body());
            assertThat(welcome.address()).isEqualTo(reader.localAddress());
            assertThat(welcome.identity()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aSubscriberGetsBothEndsOfARange(Setting setting) throws Exception {
        String policy = "p { token = p, publish = all }, s { from = " + here(setting)
                + ", subscribe = \"-2147483392,-5--1,7,2147483647\" }";
        Frames frames = new Frames();
        for (int type :
                new int[] {-2147483392, -2147483391, -6, -5, -1, 0, 6, 7, 8, Integer.MAX_VALUE - 1, Integer.MAX_VALUE
                }) {
            frames.frame(type, 4);
        }
        try (TestRelay relay = start(setting, policy);
                PlainSubscriber plain = relay.subscriber();
                TalkingPublisher speaking =
                        welcomed(relay.subscribe(), HelloFrame.subscriber().types(TypeRanges.of(-5, 7)));
                TalkingPublisher publisher = publishing(relay, "p")) {
            publisher.send(frames);
            plain.awaitMessages(5);
            assertThat(plain.received().types()).containsExactly(-2147483392, -5, -1, 7, Integer.MAX_VALUE);
            assertThat(types(speaking, 3)).containsExactly(-5, -1, 7);
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aSubscriberGetsWhatItMayHave(Setting setting) throws Exception {
        String policy = "p { token = p, publish = all }, s { token = s, subscribe = \"2-4,8\" }";
        HelloFrame.Builder count = subscriber("s").features(Features.SEQUENCES | Features.NARROWED);
        HelloFrame.Builder ranges = subscriber("s").features(Features.SEQUENCES).types(TypeRanges.of(4, 6));
        try (TestRelay relay = start(setting, policy);
                TalkingPublisher publisher = publishing(relay, "p");
                // Every type, by one that knows that it may be fewer; some; and a count that is right in both cases.
                TalkingPublisher every = connect(relay.subscribe(), count);
                TalkingPublisher some = connect(relay.subscribe(), ranges);
                TalkingPublisher later =
                        welcomed(relay.subscribe(), subscriber("s").types(TypeRanges.of(2, 2)))) {
            assertThat(isNarrowed(every)).isTrue();
            assertThat(isNarrowed(some)).isFalse();
            Frames frames = new Frames();
            for (int type = 0; type < 10; type++) {
                frames.frame(type, 4);
            }
            publisher.send(frames);
            assertThat(types(every, 4)).containsExactly(2, 3, 4, 8);
            assertThat(types(some, 1)).containsExactly(4);
            assertRefused(
                    relay.subscribe(),
                    subscriber("s"),
                    CloseReason.NOT_PERMITTED,
                    "every type is wanted, and 2-4,8 are permitted: ask for those");
            assertRefused(
                    relay.subscribe(),
                    subscriber("s").types(TypeRanges.of(5, 7, 9, 9)),
                    CloseReason.NOT_PERMITTED,
                    "types 5-7,9 are wanted, and 2-4,8 are permitted");
            later.send(new SubscribeFrame(1, TypeRanges.of(3, 5)).encode()).await(ControlFrames.SUBSCRIBED);
            later.send(new SubscribeFrame(2, TypeRanges.of(5, 5)).encode());
            assertError(later, CloseReason.NOT_PERMITTED, "types 5 are wanted, and 2-4,8 are permitted");
        }
    }

    private static boolean isNarrowed(TalkingPublisher subscriber) throws Exception {
        return WelcomeFrame.decode(subscriber.await(Hello.WELCOME).body()).grants(Features.NARROWED);
    }

    private static List<Integer> types(TalkingPublisher subscriber, int count) throws IOException {
        List<Integer> types = new ArrayList<>();
        while (types.size() < count) {
            Control frame = subscriber.next();
            if (!ControlFrames.isControl(frame.type())) {
                types.add(frame.type());
            } else {
                assertThat(frame.type()).isIn(ControlFrames.SEQUENCE, ControlFrames.PING);
            }
        }
        return types;
    }

    // ---- limits ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void soManyConnectionsOfAnIdentity(Setting setting) throws Exception {
        String policy =
                "p { token = p, publish = all, subscribe = all, max-connections = 2 }, q { token = q, publish = all }";
        try (TestRelay relay = start(setting, policy);
                TalkingPublisher first = publishing(relay, "p")) {
            try (TalkingPublisher second = publishing(relay, "p");
                    TalkingPublisher other = publishing(relay, "q")) {
                assertRefused(
                        relay.publish(),
                        publisher("p"),
                        CloseReason.TOO_MANY_CONNECTIONS,
                        "there are 2 connections of p already, which is the limit");
                second.send(new Frames().frame(1, 1));
                other.send(new Frames().frame(1, 1));
                relay.awaitMessagesIn(2);
            }
            relay.awaitPublishers(1);
            welcomed(relay.subscribe(), subscriber("p")).close();
            first.send(new Frames().frame(1, 1));
            relay.awaitMessagesIn(3);
        }
    }

    /** 8 MiB at 4 MiB a second take at least 1.9 s, are not lost, and the neighbour does not notice. */
    @ConcurrentTest.Parameterized
    @MethodSource(SOCKETS)
    void aPublisherIsReadNoFasterThanItMay(Setting setting) throws Exception {
        String policy =
                "slow { token = slow, publish = all, max-rate = 4194304 }, free { token = free, publish = all }";
        Frames frames = frames(128, 1, (64 << 10) - 8);
        try (TestRelay relay = start(setting, policy);
                TalkingPublisher slow = publishing(relay, "slow");
                TalkingPublisher free = publishing(relay, "free")) {
            long start = System.nanoTime();
            Workers sender = new Workers().start("sender", () -> slow.send(frames));
            Await.until(
                    "it waits, or has done so",
                    () -> relay.stats().get(Counter.MESSAGES_IN) == 128
                            || relay.relay().connections().stream()
                                    .anyMatch(row -> row.waitsFor().equals("rate")));
            free.send(new Frames().frame(2, 4));
            Await.until("the neighbour", () -> relay.relay().connections().stream()
                    .anyMatch(row -> row.identity().equals("free") && row.messages() == 1));
            relay.awaitMessagesIn(129);
            sender.join();
            assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1800));
        }
    }

    @Test
    void aSubscriberThatFellBehindForItsRateIsToldSo() throws Exception {
        String policy = "p { token = p, publish = all }, s { token = s, subscribe = all, max-rate = 100000 }";
        try (TestRelay relay = start(Setting.NIO_TCP, policy);
                TalkingPublisher slow = welcomed(relay.subscribe(), subscriber("s"));
                TalkingPublisher publisher = publishing(relay, "p")) {
            Frames frames = frames(64, 1, 64 << 10);
            // What it is sent lies in the socket's buffers, which are not full: it is not the reader who is slow.
            for (long bytes = 0; relay.stats().closes().isEmpty(); bytes += frames.size()) {
                assertThat(bytes).isLessThan(4L << 30);
                publisher.send(frames);
            }
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.RATE_LIMITED);
            assertThat(slow.awaitError().text()).endsWith(" bytes behind: s is sent 100000 bytes a second");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DISCONNECT", "SKIP"})
    void aSubscriberMayBeSoFarBehind(Policy slow) throws Exception {
        String policy = "p { token = p, publish = all }, s { token = s, subscribe = all, max-lag = 1048576 }";
        try (TestRelay relay = start(Setting.NIO_TCP, policy, b -> b.set(LOG_SIZE, 64 << 20));
                TalkingPublisher stopped =
                        welcomed(relay.subscribe(), subscriber("s").policy(slow));
                TalkingPublisher publisher = publishing(relay, "p")) {
            Frames frames = frames(16, 1, 64 << 10);
            // The socket's buffers take some megabytes first; far less than the log.
            for (int sent = 16; sent <= 768 && relay.closed(CloseReason.SLOW_SUBSCRIBER) == 0; sent += 16) {
                publisher.send(frames);
                relay.awaitMessagesIn(sent);
            }
            assertThat(relay.closed(CloseReason.SLOW_SUBSCRIBER)).isEqualTo(slow == Policy.DISCONNECT ? 1 : 0);
            if (slow == Policy.SKIP) {
                stopped.await(ControlFrames.GAP);
            }
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void anAcknowledgedNameBelongsToAnIdentity(Setting setting) throws Exception {
        HelloFrame.Builder acks =
                HelloFrame.publisher().features(Features.ACKS).name("orders").producer(ProducerId.random());
        String policy = "a { token = a, publish = all }, b { token = b, publish = all }";
        try (TestRelay relay = start(setting, policy, b -> b.set(NAME_HOLD, Duration.ZERO));
                TalkingPublisher first = welcomed(relay.publish(), acks.token(Token.of("a")))) {
            first.send(new Frames().frame(1, 4)).awaitAck(1);
            assertRefused(
                    relay.publish(),
                    acks.token(Token.of("b")),
                    CloseReason.NAME_HELD,
                    "HELLO: the name orders belongs to another identity");
            first.send(new Frames().frame(1, 4)).awaitAck(2);
        }
    }

    // ---- reload ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void whatIsTakenBackEnds(Setting setting) throws Exception {
        String after = "s { token = s, subscribe = 1-9 }, both { token = both, publish = 7, subscribe = all }";
        try (TestRelay relay = start(setting, USUAL + "s { token = s, subscribe = all }");
                TalkingPublisher orders = publishing(relay, "orders");
                TalkingPublisher stays = publishing(relay, "both");
                TalkingPublisher reader = welcomed(relay.subscribe(), subscriber("s"))) {
            reload(relay, Policies.of(after));
            assertError(orders, CloseReason.REVOKED, UNKNOWN_TOKEN);
            assertError(reader, CloseReason.REVOKED, "types all were permitted, and 1-9 are now");
            assertThat(relay.closed(CloseReason.REVOKED)).isEqualTo(2);
            // And it does not come back.
            assertRefused(relay.publish(), publisher("orders"), CloseReason.NOT_AUTHENTICATED, UNKNOWN_TOKEN);
            // Who keeps some of it goes on with that.
            stays.send(new Frames().frame(7, 4));
            relay.awaitMessagesIn(1);
            stays.send(new Frames().frame(8, 4));
            assertError(stays, CloseReason.NOT_PERMITTED, "type 8 may not be published: 7 may");
        }
    }

    /** A block that is new, and one that is gone: who was let in by nothing is asked, and nobody is asked any more. */
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aBlockThatComesAndGoes(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                TalkingPublisher plain = TalkingPublisher.connect(relay.publish());
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher early = publishing(relay, "orders")) {
            plain.send(new Frames().frame(Frames.type(0, 0), 4));
            subscriber.awaitMessages(1);
            reload(relay, Policies.of(USUAL));
            assertError(plain, CloseReason.REVOKED, NO_TOKEN);
            subscriber.awaitEnd();
            relay.awaitClosed(CloseReason.REVOKED, 2);
            // It has shown its token to a relay that did not ask for it.
            early.send(new Frames().frame(5, 4));
            relay.awaitMessagesIn(2);
            reload(relay, null);
            try (PlainPublisher again = relay.publisher()) {
                Await.until("nobody is asked", () -> relay.relay().connections().stream()
                        .allMatch(row -> row.identity().isEmpty()));
                again.send(new Frames().frame(1, 4));
                relay.awaitMessagesIn(3);
            }
        }
    }

    /** What it was sent before there was a rate, 42 seconds' worth of it, is not held against it. */
    @Test
    void aRateThatComesWithAReloadCountsFromThenOn() throws Exception {
        String before = """
                p { token = p, publish = all }
                s { from = 127.0.0.0/8, subscribe = all }
                leaver { token = leaver, subscribe = all }
                """;
        String after = "p { token = p, publish = all }, s { from = 127.0.0.0/8, subscribe = all, max-rate = 100000 }";
        try (TestRelay relay = start(Setting.NIO_TCP, before);
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher leaves = welcomed(relay.subscribe(), subscriber("leaver"));
                TalkingPublisher publisher = publishing(relay, "p")) {
            publisher.send(frames(64, 1, 64 << 10));
            subscriber.awaitMessages(64);
            reload(relay, Policies.of(after));
            // Both find out in the same tick.
            assertThat(leaves.awaitError().code()).isEqualTo(CloseReason.REVOKED.code());
            publisher.send(new Frames().frame(1, 4));
            subscriber.awaitMessages(65);
            assertThat(subscriber.end()).isNull();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void reloadsAtFullLoad(Setting setting) throws Exception {
        // As many as a publisher has numbers; long ones, so that they are hardly over before the reloads are.
        int most = 1_000_000;
        String reader = "s { from = 127.0.0.0/8, subscribe = all }";
        String both = reader + ", p { token = p, publish = all }";
        try (TestRelay relay = start(setting, both, b -> b.set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE)
                        .set(STALL_TIMEOUT, Duration.ofMinutes(10)));
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher publisher = publishing(relay, "p")) {
            AtomicBoolean over = new AtomicBoolean();
            Stream sent = new Stream(0, 4_000);
            Workers load = new Workers().start("load", () -> {
                while (!over.get() && sent.count() < most) {
                    publisher.send(sent.next(1_000_000));
                }
            });
            for (int i = 0; i < 200; i++) {
                reload(relay, Policies.of(both + ", extra { token = extra" + i + ", publish = 1-" + (i + 1) + " }"));
                if (i % 10 == 0) {
                    int before = subscriber.received().count();
                    Await.until("it goes on", () -> subscriber.received().count() > before || before >= most);
                }
            }
            over.set(true);
            load.join();
            subscriber.awaitMessages(sent.count()).received().assertAllOf(sent.count());
            assertThat(relay.stats().closes()).doesNotContainKey(CloseReason.REVOKED);
            // The last one holds.
            reload(relay, Policies.of(reader));
            assertThat(publisher.awaitError().code()).isEqualTo(CloseReason.REVOKED.code());
        }
    }
}
