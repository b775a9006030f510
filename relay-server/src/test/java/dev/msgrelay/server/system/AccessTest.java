package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.access.User;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Vectors;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may do what, over real sockets: each refusal is one ERROR and a counted close, and costs nobody else anything. */
class AccessTest {
    private static final String SOCKETS = "dev.msgrelay.server.harness.Setting#sockets";

    private static final Token ORDERS = Token.of("the-token-of-orders");
    private static final Token AUDIT = Token.of("the-token-of-audit");
    private static final Token BOTH = Token.of("the-token-of-both");

    /** What a test changes of an identity. */
    private static final class Who {
        private final String name;
        private List<TokenHash> tokens = List.of();
        private List<User> users = List.of();
        private List<Network> from = List.of();
        private TypeRanges publish;
        private TypeRanges subscribe;
        private long maxConnections = Identity.UNLIMITED;
        private long maxRate = Identity.UNLIMITED;
        private long maxLag = Identity.UNLIMITED;

        Who(String name) {
            this.name = name;
        }

        Who token(Token token) {
            tokens = List.of(TokenHash.of(token));
            return this;
        }

        Who from(String... networks) {
            from = List.of(networks).stream().map(Network::parse).toList();
            return this;
        }

        Who user(String user) {
            users = List.of(User.parse(user));
            return this;
        }

        Who publish(String types) {
            publish = TypeRanges.parse(types);
            return this;
        }

        Who subscribe(String types) {
            subscribe = TypeRanges.parse(types);
            return this;
        }

        Who maxConnections(int most) {
            maxConnections = most;
            return this;
        }

        Who maxRate(long bytes) {
            maxRate = bytes;
            return this;
        }

        Who maxLag(long bytes) {
            maxLag = bytes;
            return this;
        }

        Identity identity() {
            return new Identity(
                    name,
                    tokens,
                    List.of(),
                    users,
                    from,
                    publish,
                    subscribe,
                    maxConnections,
                    maxRate,
                    maxLag,
                    Identity.UNLIMITED);
        }
    }

    private static Who who(String name) {
        return new Who(name);
    }

    private static AccessPolicy policy(Who... who) {
        return new AccessPolicy(List.of(who).stream().map(Who::identity).toList());
    }

    private static AccessPolicy usual() {
        return policy(
                who("orders").token(ORDERS).publish("1-99"),
                who("audit").token(AUDIT).subscribe("1-99,200"),
                who("both").token(BOTH).publish("all").subscribe("all"));
    }

    private static TestRelay start(Setting setting, AccessPolicy policy) throws IOException {
        return start(setting, policy, builder -> builder);
    }

    private static TestRelay start(Setting setting, AccessPolicy policy, UnaryOperator<RelayConfig.Builder> more)
            throws IOException {
        return TestRelay.start(setting, builder -> more.apply(builder.access(policy)));
    }

    private static void reload(TestRelay relay, AccessPolicy policy) throws IOException {
        relay.relay().reload(RelayConfig.builder().access(policy).build());
    }

    /** Connects as a publisher and says HELLO. */
    private static TalkingPublisher publisher(TestRelay relay, Token token) throws IOException {
        return TalkingPublisher.connect(relay.publish())
                .send(HelloFrame.publisher().token(token).build().encode());
    }

    private static TalkingPublisher welcomed(TestRelay relay, Token token) throws IOException {
        TalkingPublisher publisher = publisher(relay, token);
        publisher.await(Hello.WELCOME);
        return publisher;
    }

    /** A subscriber that reads when it is told to. */
    private static TalkingPublisher reader(TestRelay relay, HelloFrame.Builder hello) throws IOException {
        return TalkingPublisher.connect(relay.subscribe()).send(hello.build().encode());
    }

    /** A subscriber of messages of ten types, 0 to 9. */
    private static SpeakingSubscriber subscriber(TestRelay relay) throws IOException {
        return SpeakingSubscriber.connect(relay.subscribe(), new Account(new Numbered(new Random(1), 10, 8)));
    }

    private static void assertError(Control error, CloseReason reason, String text) {
        assertThat(CloseReason.ofCode(error.code())).as(error.text()).isEqualTo(reason);
        assertThat(error.text()).isEqualTo(text);
    }

    private static void assertError(PlainPublisher.Error error, CloseReason reason, String text) {
        assertThat(CloseReason.ofCode(error.code())).as(error.text()).isEqualTo(reason);
        assertThat(error.text()).isEqualTo(text);
    }

    // ---- who it is ---------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aTokenLetsInAndNothingElseDoes(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, usual());
                SpeakingSubscriber all =
                        subscriber(relay).hello(HelloFrame.subscriber().token(BOTH))) {
            all.awaitWelcome();
            try (TalkingPublisher orders = welcomed(relay, ORDERS)) {
                orders.send(new Frames().frame(1, 4).frame(99, 4));
                relay.awaitMessagesIn(2);
                try (TalkingPublisher wrong = publisher(relay, Token.of("the-token-of-nobody"))) {
                    assertError(
                            wrong.awaitError(),
                            CloseReason.NOT_AUTHENTICATED,
                            "the token is not one that is known here");
                }
                try (TalkingPublisher none = publisher(relay, Token.NONE)) {
                    assertError(none.awaitError(), CloseReason.NOT_AUTHENTICATED, "HELLO with a token is needed here");
                }
                try (PlainPublisher plain = relay.publisher()) {
                    plain.send(new Frames().frame(1, 4));
                    assertError(plain.awaitError(), CloseReason.NOT_AUTHENTICATED, "HELLO with a token is needed here");
                }
                try (TalkingPublisher role = publisher(relay, AUDIT)) {
                    assertError(role.awaitError(), CloseReason.NOT_PERMITTED, "audit may not publish");
                }
                try (SpeakingSubscriber role =
                        subscriber(relay).hello(HelloFrame.subscriber().token(ORDERS))) {
                    assertError(role.awaitError(), CloseReason.NOT_PERMITTED, "orders may not subscribe");
                }
                // Of none of them has anything come into the stream; the good one goes on.
                orders.send(new Frames().frame(5, 4));
                relay.awaitMessagesIn(3);
            }
            assertThat(relay.closed(CloseReason.NOT_AUTHENTICATED)).isEqualTo(3);
            assertThat(relay.closed(CloseReason.NOT_PERMITTED)).isEqualTo(2);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(3);
        }
    }

    /** Messages in the very segment that brings HELLO are taken, or refused, by its token. */
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void helloAndMessagesInOne(Setting setting) throws Exception {
        ByteBuffer hello = HelloFrame.publisher().token(ORDERS).build().encode();
        byte[] messages = new Frames().frame(7, 4).frame(100, 4).frame(8, 4).bytes();
        ByteBuffer all = ByteBuffer.allocate(hello.remaining() + messages.length)
                .put(hello)
                .put(messages)
                .flip();
        try (TestRelay relay = start(setting, usual());
                TalkingPublisher orders =
                        TalkingPublisher.connect(relay.publish()).send(all)) {
            assertThat(orders.next().type()).isEqualTo(Hello.WELCOME);
            assertError(orders.awaitError(), CloseReason.NOT_PERMITTED, "type 100 may not be published: 1-99 may");
            relay.awaitMessagesIn(1);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void whoSaysNothingIsNotKept(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, usual(), b -> b.handshakeTimeout(Duration.ofSeconds(2)));
                PlainPublisher subscriber = PlainPublisher.connect(relay.subscribe());
                PlainPublisher silent = relay.publisher();
                TalkingPublisher orders = welcomed(relay, ORDERS)) {
            orders.send(new Frames().frame(1, 4));
            // The subscriber has got no message before it is told.
            assertError(subscriber.awaitError(), CloseReason.NOT_AUTHENTICATED, "HELLO with a token is needed here");
            assertError(silent.awaitError(), CloseReason.NOT_AUTHENTICATED, "HELLO with a token is needed here");
            relay.awaitClosed(CloseReason.NOT_AUTHENTICATED, 2);
            orders.send(new Frames().frame(1, 4));
            relay.awaitMessagesIn(2);
        }
    }

    /** A HELLO whose token is too long, empty or cut is malformed, also to a relay that wants none. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTokenIsPartOfTheFrame(boolean asked) throws Exception {
        List<String> vectors = List.of("long", "empty", "cut", "missing", "control", "without-producer-id");
        Numbered messages = new Numbered(new Random(1), 10, 8);
        try (TestRelay relay = start(Setting.NIO_TCP, asked ? usual() : null);
                SpeakingSubscriber neighbour =
                        relay.speaker(messages).hello(HelloFrame.subscriber().token(BOTH));
                TalkingPublisher healthy = welcomed(relay, BOTH)) {
            neighbour.awaitWelcome();
            int sent = 0;
            for (String vector : vectors) {
                byte[] bytes = Vectors.one("bad-hello-token-" + vector).bytes();
                try (TalkingPublisher publisher =
                        TalkingPublisher.connect(relay.subscribe()).send(bytes)) {
                    Control error = publisher.awaitError();
                    assertThat(CloseReason.ofCode(error.code())).isEqualTo(CloseReason.MALFORMED_CONTROL);
                }
                relay.awaitClosed(CloseReason.MALFORMED_CONTROL, ++sent);
                ByteBuffer message = ByteBuffer.allocate(16);
                messages.put(message, sent);
                healthy.send(message.flip());
                neighbour.awaitNext(sent + 1);
            }
            try (SpeakingSubscriber good =
                    subscriber(relay).hello(HelloFrame.subscriber().token(BOTH))) {
                good.awaitWelcome();
            }
            assertThat(relay.closed(CloseReason.MALFORMED_CONTROL)).isEqualTo(vectors.size());
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void byNetworkWithoutAWord(Setting setting) throws Exception {
        AccessPolicy policy = policy(
                who("near").from(here(setting)).publish("1-9").subscribe("5"),
                who("both").token(BOTH).publish("all"));
        try (TestRelay relay = start(setting, policy);
                PlainPublisher plain = relay.publisher();
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher other = welcomed(relay, BOTH)) {
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
            assertError(plain.awaitError(), CloseReason.NOT_PERMITTED, "type 10 may not be published: 1-9 may");
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void byTheUserOfAUnixSocket(Setting setting) throws Exception {
        String uid = String.valueOf(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        AccessPolicy policy = policy(
                who("me").user(uid).publish("all"), who("other").user("4711").publish("all"));
        try (TestRelay relay = start(setting, policy, b -> b.handshakeTimeout(Duration.ofMillis(200)));
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

    static Stream<Way> ways() {
        return Stream.concat(
                Setting.sockets().map(s -> new Way(s, 0)), Setting.transports().map(s -> new Way(s, 1)));
    }

    private static String here(Setting setting) {
        return setting.unix() ? "unix" : "127.0.0.0/8";
    }

    /** What lies before a type that is not allowed is relayed, and nothing of that type or behind it. */
    @ParameterizedTest
    @MethodSource("ways")
    void typesAtTheBordersOfARange(Way way) throws Exception {
        AccessPolicy policy = policy(who("p").from(here(way.setting())).publish("-5--1,7,2147483647"));
        int[] good = {-5, -1, 7, Integer.MAX_VALUE};
        int[] bad = {-6, 0, 6, 8, Integer.MAX_VALUE - 1, -2147483392};
        try (TestRelay relay = start(way.setting(), policy, b -> b.readerLoops(way.readers()))) {
            int in = 0;
            for (Comes comes : Comes.values()) {
                for (int type : bad) {
                    try (PlainPublisher publisher = relay.publisher()) {
                        publisher.send(new Frames().frame(7, 3));
                        relay.awaitMessagesIn(++in);
                        Await.until("its loop", () -> way.readers() == 0 || isReadElsewhere(relay));
                        Frames frames = new Frames();
                        for (int before : good) {
                            frames.frame(before, 3).frame(before, 3);
                        }
                        in += 2 * good.length;
                        switch (comes) {
                            case WITH_MORE_BEHIND ->
                                publisher.send(frames.frame(type, 3).frame(7, 3));
                            case BYTE_BY_BYTE ->
                                publisher.trickle(frames.header(type, 3).bytes());
                            case ANNOUNCED -> publisher.send(frames.header(type, 500_000));
                        }
                        assertError(
                                publisher.awaitError(),
                                CloseReason.NOT_PERMITTED,
                                "type " + type + " may not be published: -5--1,7,2147483647 may");
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

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aSubscriberGetsBothEndsOfARange(Setting setting) throws Exception {
        AccessPolicy policy = policy(
                who("p").token(ORDERS).publish("all"),
                who("s").from(here(setting)).subscribe("-2147483392,-5--1,7,2147483647"));
        int[] sent = {-2147483392, -2147483391, -6, -5, -1, 0, 6, 7, 8, Integer.MAX_VALUE - 1, Integer.MAX_VALUE};
        try (TestRelay relay = start(setting, policy);
                PlainSubscriber plain = relay.subscriber();
                TalkingPublisher speaking =
                        reader(relay, HelloFrame.subscriber().types(TypeRanges.of(-5, 7)));
                TalkingPublisher publisher = welcomed(relay, ORDERS)) {
            speaking.await(Hello.WELCOME);
            Frames frames = new Frames();
            for (int type : sent) {
                frames.frame(type, 4).frame(type, 5);
            }
            publisher.send(frames);
            plain.awaitMessages(10);
            assertThat(plain.received().types())
                    .containsExactly(
                            -2147483392, -2147483392, -5, -5, -1, -1, 7, 7, Integer.MAX_VALUE, Integer.MAX_VALUE);
            assertThat(types(speaking, 6)).containsExactly(-5, -5, -1, -1, 7, 7);
        }
    }

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aSubscriberGetsWhatItMayHave(Setting setting) throws Exception {
        AccessPolicy policy = policy(
                who("p").token(ORDERS).publish("all"), who("s").token(AUDIT).subscribe("2-4,8"));
        try (TestRelay relay = start(setting, policy);
                TalkingPublisher publisher = welcomed(relay, ORDERS)) {
            // Every type, by one that knows that it may be fewer; some; and a count that is right in both cases.
            try (TalkingPublisher every = TalkingPublisher.connect(relay.subscribe())
                            .send(HelloFrame.subscriber()
                                    .token(AUDIT)
                                    .features(Features.SEQUENCES | Features.NARROWED)
                                    .build()
                                    .encode());
                    TalkingPublisher some = TalkingPublisher.connect(relay.subscribe())
                            .send(HelloFrame.subscriber()
                                    .token(AUDIT)
                                    .types(TypeRanges.of(4, 6))
                                    .features(Features.SEQUENCES)
                                    .build()
                                    .encode())) {
                assertThat(WelcomeFrame.decode(body(every.await(Hello.WELCOME))).grants(Features.NARROWED))
                        .isTrue();
                assertThat(WelcomeFrame.decode(body(some.await(Hello.WELCOME))).grants(Features.NARROWED))
                        .isFalse();
                Frames frames = new Frames();
                for (int type = 0; type < 10; type++) {
                    frames.frame(type, 4);
                }
                publisher.send(frames);
                assertThat(types(every, 4)).containsExactly(2, 3, 4, 8);
                assertThat(types(some, 1)).containsExactly(4);
            }
            try (TalkingPublisher older = TalkingPublisher.connect(relay.subscribe())
                    .send(HelloFrame.subscriber().token(AUDIT).build().encode())) {
                assertError(
                        older.awaitError(),
                        CloseReason.NOT_PERMITTED,
                        "every type is wanted, and 2-4,8 are permitted: ask for those");
            }
            try (TalkingPublisher others = TalkingPublisher.connect(relay.subscribe())
                    .send(HelloFrame.subscriber()
                            .token(AUDIT)
                            .types(TypeRanges.of(5, 7, 9, 9))
                            .build()
                            .encode())) {
                assertError(
                        others.awaitError(),
                        CloseReason.NOT_PERMITTED,
                        "types 5-7,9 are wanted, and 2-4,8 are permitted");
            }
            try (SpeakingSubscriber later =
                    subscriber(relay).hello(HelloFrame.subscriber().token(AUDIT).types(TypeRanges.of(2, 2)))) {
                later.awaitWelcome();
                later.subscribe(1, TypeRanges.of(3, 5)).awaitSaid(ControlFrames.SUBSCRIBED, 1);
                later.subscribe(2, TypeRanges.of(5, 5));
                assertError(
                        later.awaitError(), CloseReason.NOT_PERMITTED, "types 5 are wanted, and 2-4,8 are permitted");
            }
        }
    }

    private static ByteBuffer body(Control frame) {
        return frame.body();
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
        AccessPolicy policy = policy(
                who("p").token(ORDERS).publish("all").subscribe("all").maxConnections(2),
                who("q").token(AUDIT).publish("all"));
        try (TestRelay relay = start(setting, policy);
                TalkingPublisher first = welcomed(relay, ORDERS)) {
            try (TalkingPublisher second = welcomed(relay, ORDERS);
                    TalkingPublisher third = publisher(relay, ORDERS);
                    TalkingPublisher other = welcomed(relay, AUDIT)) {
                assertError(
                        third.awaitError(),
                        CloseReason.TOO_MANY_CONNECTIONS,
                        "there are 2 connections of p already, which is the limit");
                second.send(new Frames().frame(1, 1));
                other.send(new Frames().frame(1, 1));
                relay.awaitMessagesIn(2);
            }
            relay.awaitPublishers(1);
            try (SpeakingSubscriber now =
                    subscriber(relay).hello(HelloFrame.subscriber().token(ORDERS))) {
                now.awaitWelcome();
            }
            first.send(new Frames().frame(1, 1));
            relay.awaitMessagesIn(3);
        }
    }

    /** 8 MiB at 4 MiB a second take at least 1.9 s, are not lost, and the neighbour does not notice. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aPublisherIsReadNoFasterThanItMay(Setting setting) throws Exception {
        AccessPolicy policy = policy(
                who("slow").token(ORDERS).publish("all").maxRate(4 << 20),
                who("free").token(AUDIT).publish("all"));
        Frames frames = new Frames();
        for (int i = 0; i < 128; i++) {
            frames.frame(1, (64 << 10) - 8);
        }
        try (TestRelay relay = start(setting, policy);
                TalkingPublisher slow = welcomed(relay, ORDERS);
                TalkingPublisher free = welcomed(relay, AUDIT)) {
            long start = System.nanoTime();
            Thread sender = new Thread(() -> {
                try {
                    slow.send(frames);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            sender.start();
            Await.until(
                    "it waits, or has done so",
                    () -> relay.stats().get(Counter.MESSAGES_IN) == 128
                            || relay.relay().connections().stream()
                                    .anyMatch(row -> row.waitsFor().equals("rate")));
            free.send(new Frames().frame(2, 4));
            Await.until("the neighbour", () -> relay.relay().connections().stream()
                    .anyMatch(row -> row.identity().equals("free") && row.messages() == 1));
            relay.awaitMessagesIn(129);
            Await.join(sender);
            assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1800));
        }
    }

    /** It reads as fast as it can, and is sent so little that the log goes over it. */
    @Test
    void aSubscriberThatFellBehindForItsRateIsToldSo() throws Exception {
        AccessPolicy policy = policy(
                who("p").token(ORDERS).publish("all"),
                who("s").token(AUDIT).subscribe("all").maxRate(100_000));
        try (TestRelay relay = start(Setting.NIO_TCP, policy);
                TalkingPublisher slow = reader(relay, HelloFrame.subscriber().token(AUDIT));
                TalkingPublisher publisher = welcomed(relay, ORDERS)) {
            slow.await(Hello.WELCOME);
            Frames frames = new Frames();
            for (int i = 0; i < 64; i++) {
                frames.frame(1, 64 << 10);
            }
            // What it is sent lies in the socket's buffers, which are not full: it is not the reader who is slow.
            for (long bytes = 0; relay.stats().closes().isEmpty(); bytes += frames.size()) {
                assertThat(bytes).isLessThan(4L << 30);
                publisher.send(frames);
            }
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.RATE_LIMITED);
            Control error = slow.awaitError();
            assertThat(error.text()).endsWith(" bytes behind: s is sent 100000 bytes a second");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"disconnect", "skip"})
    void aSubscriberMayBeSoFarBehind(String how) throws Exception {
        Policy slow = Policy.ofFlag(how);
        AccessPolicy policy = policy(
                who("p").token(ORDERS).publish("all"),
                who("s").token(AUDIT).subscribe("all").maxLag(1 << 20));
        try (TestRelay relay = start(Setting.NIO_TCP, policy, b -> b.logSize(64 << 20));
                TalkingPublisher stopped =
                        reader(relay, HelloFrame.subscriber().token(AUDIT).policy(slow));
                TalkingPublisher publisher = welcomed(relay, ORDERS)) {
            stopped.await(Hello.WELCOME);
            Frames frames = new Frames();
            for (int i = 0; i < 16; i++) {
                frames.frame(1, 64 << 10);
            }
            // The socket's buffers take some megabytes first; far less than the log.
            long bytes = 0;
            while (bytes < 48 << 20 && relay.closed(CloseReason.SLOW_SUBSCRIBER) == 0) {
                publisher.send(frames);
                bytes += frames.size();
                long sent = bytes / (8 + (64 << 10));
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
        AccessPolicy policy = policy(
                who("a").token(ORDERS).publish("all"), who("b").token(AUDIT).publish("all"));
        ProducerId id = ProducerId.random();
        HelloFrame.Builder acks =
                HelloFrame.publisher().features(Features.ACKS).name("orders").producer(id);
        try (TestRelay relay = start(setting, policy, b -> b.nameHold(Duration.ZERO));
                TalkingPublisher first = TalkingPublisher.connect(relay.publish())
                        .send(acks.token(ORDERS).build().encode())) {
            first.await(Hello.WELCOME);
            first.send(new Frames().frame(1, 4)).awaitAck(1);
            try (TalkingPublisher thief = TalkingPublisher.connect(relay.publish())
                    .send(acks.token(AUDIT).build().encode())) {
                assertError(
                        thief.awaitError(),
                        CloseReason.NAME_HELD,
                        "HELLO: the name orders belongs to another identity");
            }
            first.send(new Frames().frame(1, 4)).awaitAck(2);
        }
    }

    // ---- reload ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource(SOCKETS)
    void whatIsTakenBackEnds(Setting setting) throws Exception {
        AccessPolicy before = policy(
                who("p").token(ORDERS).publish("all"),
                who("s").token(AUDIT).subscribe("all"),
                who("both").token(BOTH).publish("all").subscribe("all"));
        try (TestRelay relay = start(setting, before);
                TalkingPublisher orders = welcomed(relay, ORDERS);
                TalkingPublisher stays = welcomed(relay, BOTH);
                TalkingPublisher audit = TalkingPublisher.connect(relay.subscribe())
                        .send(HelloFrame.subscriber().token(AUDIT).build().encode())) {
            audit.await(Hello.WELCOME);
            reload(
                    relay,
                    policy(
                            who("s").token(AUDIT).subscribe("1-9"),
                            who("both").token(BOTH).publish("7").subscribe("all")));
            assertError(orders.awaitError(), CloseReason.REVOKED, "the token is not one that is known here");
            assertError(audit.awaitError(), CloseReason.REVOKED, "types all were permitted, and 1-9 are now");
            assertThat(relay.closed(CloseReason.REVOKED)).isEqualTo(2);
            // And it does not come back.
            try (TalkingPublisher again = publisher(relay, ORDERS)) {
                assertThat(again.awaitError().code()).isEqualTo(CloseReason.NOT_AUTHENTICATED.code());
            }
            // Who keeps some of it goes on with that.
            stays.send(new Frames().frame(7, 4));
            relay.awaitMessagesIn(1);
            stays.send(new Frames().frame(8, 4));
            assertError(stays.awaitError(), CloseReason.NOT_PERMITTED, "type 8 may not be published: 7 may");
        }
    }

    /** A block that is new, and one that is gone: who was let in by nothing is asked, and nobody is asked any more. */
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aBlockThatComesAndGoes(Setting setting) throws Exception {
        try (TestRelay relay = start(setting, null);
                PlainPublisher plain = relay.publisher();
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher early = welcomed(relay, ORDERS)) {
            plain.send(new Frames().frame(Frames.type(0, 0), 4));
            subscriber.awaitMessages(1);
            reload(relay, usual());
            assertError(plain.awaitError(), CloseReason.REVOKED, "HELLO with a token is needed here");
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
        Who sender = who("p").token(ORDERS).publish("all");
        Who leaver = who("leaver").token(BOTH).subscribe("all");
        Who reader = who("s").from("127.0.0.0/8").subscribe("all");
        Frames many = new Frames();
        for (int i = 0; i < 64; i++) {
            many.frame(Frames.type(0, i), 64 << 10);
        }
        try (TestRelay relay = start(Setting.NIO_TCP, policy(sender, leaver, reader));
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher leaves = reader(relay, HelloFrame.subscriber().token(BOTH));
                TalkingPublisher publisher = welcomed(relay, ORDERS)) {
            leaves.await(Hello.WELCOME);
            publisher.send(many);
            subscriber.awaitMessages(64);
            reload(relay, policy(sender, reader.maxRate(100_000)));
            // Both have found out in the same tick.
            relay.awaitClosed(CloseReason.REVOKED, 1);
            publisher.send(new Frames().frame(Frames.type(0, 64), 4));
            subscriber.awaitMessages(65);
        }
    }

    /** Reloads while everything runs at full speed: nobody who may go on loses anything. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void reloadsAtFullLoad(Setting setting) throws Exception {
        // As many as a publisher has numbers; long ones, so that they are hardly over before the reloads are.
        int most = 1_000_000;
        List<AccessPolicy> policies = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            policies.add(policy(
                    who("p").token(ORDERS).publish("all"),
                    who("s").from("127.0.0.0/8").subscribe("all"),
                    who("extra" + i).token(Token.of("extra" + i)).publish("1-" + (i + 1))));
        }
        try (TestRelay relay = start(setting, policies.get(0), b -> b.slowSubscriber(Policy.BACKPRESSURE)
                        .stallTimeout(Duration.ofMinutes(10)));
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher publisher = welcomed(relay, ORDERS)) {
            AtomicBoolean over = new AtomicBoolean();
            int[] sent = new int[1];
            Thread load = new Thread(() -> {
                try {
                    while (!over.get() && sent[0] < most) {
                        Frames frames = new Frames();
                        for (int i = 0; i < 500; i++) {
                            frames.frame(Frames.type(0, sent[0]++), 2_000);
                        }
                        publisher.send(frames);
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            load.start();
            int last = 0;
            for (AccessPolicy policy : policies) {
                reload(relay, policy);
                if (last % 10 == 0) {
                    int before = subscriber.received().count();
                    Await.until("it goes on", () -> subscriber.received().count() > before || before >= most);
                }
                last++;
            }
            over.set(true);
            Await.join(load);
            subscriber.awaitMessages(sent[0]).received().assertAllOf(sent[0]);
            assertThat(relay.stats().closes()).doesNotContainKey(CloseReason.REVOKED);
            // The last one holds.
            reload(relay, policy(who("s").from("127.0.0.0/8").subscribe("all")));
            assertThat(publisher.awaitError().code()).isEqualTo(CloseReason.REVOKED.code());
        }
    }
}
