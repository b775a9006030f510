package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsLine;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import dev.msgrelay.testing.ThisMachine;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client breaks a rule and ends its output, in any order of the events: it still reads, so it is told why, and before
 * that how much of what it published is in the stream.
 */
class FaultAndEndTest {
    /** {@code -Dfault.cases=1000}: so many clients of each relay. */
    private static final int CASES = (int) ThisMachine.setting("fault.cases", 40);

    private static final int MAX_BODY = 1 << 20;
    private static final int FORBIDDEN = 2_000_000_000;

    private enum Kind {
        PLAIN,
        HELLO,
        ACKS
    }

    /** What is wrong, and what is said of it. */
    private record Fault(CloseReason reason, byte[] bytes) {}

    /** A relay and the client's way to it; {@code client} makes engines of TLS, or is null. */
    private record Way(Setting setting, TlsProvider provider, SslProvider client, int readers) {
        @Override
        public String toString() {
            return setting + ", " + readers + " readers" + (client == null ? "" : ", TLS " + provider + ", " + client);
        }
    }

    static Stream<Way> ways() {
        Stream<Way> plain =
                Setting.sockets().flatMap(s -> Stream.of(new Way(s, null, null, 0), new Way(s, null, null, 1)));
        Stream<Way> secured = Setting.transports().flatMap(s -> Stream.of(TlsProvider.JDK, TlsProvider.BORINGSSL)
                .flatMap(p -> Stream.of(SslProvider.JDK, SslProvider.OPENSSL).map(c -> new Way(s, p, c, 0))));
        return Stream.concat(plain, secured);
    }

    private static Fault fault(Random random, Kind kind, boolean first, boolean access) {
        if (access) {
            return new Fault(
                    CloseReason.NOT_PERMITTED,
                    new Frames().frame(FORBIDDEN, random.nextInt(100)).bytes());
        }
        return switch (random.nextInt(kind == Kind.PLAIN ? 4 : 8)) {
            case 0 ->
                new Fault(
                        CloseReason.NEGATIVE_LENGTH,
                        new Frames().header(7, -1 - random.nextInt(9)).bytes());
            case 1 ->
                new Fault(
                        CloseReason.OVERSIZED_LENGTH,
                        new Frames().header(7, MAX_BODY + 1).bytes());
            case 2 ->
                kind == Kind.PLAIN
                        ? new Fault(CloseReason.RESERVED_TYPE, Hello.ping(1))
                        : new Fault(CloseReason.PROTOCOL_ORDER, Hello.plain().bytes());
            case 3 ->
                kind == Kind.PLAIN && first
                        ? new Fault(
                                CloseReason.RESERVED_TYPE,
                                new Frames().frame(0x80000077, 3).bytes())
                        : new Fault(CloseReason.PROTOCOL_ORDER, Hello.plain().bytes());
            case 4 ->
                new Fault(
                        CloseReason.WRONG_ROLE,
                        new Frames().frame(ControlFrames.SUBSCRIBE, 8).bytes());
            case 5 ->
                new Fault(
                        CloseReason.UNSUPPORTED,
                        new Frames().frame(0x80000090, 5).bytes());
            case 6 ->
                new Fault(
                        CloseReason.MALFORMED_CONTROL,
                        new Frames().frame(Hello.PING, 3).bytes());
            default ->
                new Fault(
                        CloseReason.OVERSIZED_LENGTH,
                        new Frames().header(Hello.PING, 20_000).bytes());
        };
    }

    private static byte[] hello(Kind kind, int publisher) {
        HelloFrame.Builder hello = HelloFrame.publisher();
        if (kind == Kind.ACKS) {
            hello.features(Features.ACKS)
                    .name("publisher-" + publisher)
                    .producer(new ProducerId(publisher, 7))
                    .nextNumber(0, 1);
        }
        return hello.build().encode().array();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aPublisher(Way way) throws Exception {
        Random random = Seeds.random("FaultAndEndTest " + way);
        publishers(way, random, false);
        publishers(way, random, true);
    }

    private static void publishers(Way way, Random random, boolean access) throws Exception {
        String from = way.setting.unix() ? "unix" : "127.0.0.0/8";
        String policy = "p { from = " + from + ", publish = \"0-1999999999\", subscribe = all }";
        UnaryOperator<RelayConfig.Builder> more = b -> (access ? b.set(ACCESS, Policies.of(policy)) : b)
                .set(RelayOption.MAX_BODY, MAX_BODY)
                .set(READER_LOOPS, way.readers);
        try (Certificates certificates = way.client == null ? null : new Certificates();
                TestRelay relay = start(way, certificates, more);
                PlainSubscriber subscriber = relay.subscriber()) {
            int[] valid = new int[CASES];
            List<String> wrong = new ArrayList<>();
            for (int i = 0; i < CASES; i++) {
                Kind kind = Kind.values()[random.nextInt(3)];
                valid[i] = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(random.nextInt(8) == 0 ? 400 : 3);
                Fault fault = fault(random, kind, valid[i] == 0, access);
                String what = i + ": " + kind + ", " + valid[i] + " messages, " + fault.reason;
                String failure = told(way, certificates, relay, random, kind, i, valid[i], fault);
                if (failure != null) {
                    wrong.add(what + ": " + failure);
                }
            }
            assertThat(wrong).as("%d of %d over %s", wrong.size(), CASES, way).isEmpty();
            int all = Arrays.stream(valid).sum();
            subscriber.awaitMessages(all).received().assertAllOf(valid);
        }
    }

    private static TestRelay start(Way way, Certificates certificates, UnaryOperator<RelayConfig.Builder> more)
            throws Exception {
        if (certificates == null) {
            return TestRelay.start(way.setting, more);
        }
        TlsFiles files = certificates.relayFiles();
        return TestRelay.start(
                way.setting,
                b -> more.apply(b.set(TLS_FILES, files)
                        .set(TLS_PUBLISH_PORT, 0)
                        .set(TLS_SUBSCRIBE_PORT, 0)
                        .set(TLS_PROVIDER, way.provider)));
    }

    private static SSLEngine engine(Way way, Certificates certificates) throws Exception {
        return SslContextBuilder.forClient()
                .sslProvider(way.client)
                .trustManager(certificates.authorityFile().toFile())
                .protocols("TLSv1.3")
                .endpointIdentificationAlgorithm(null)
                .build()
                .newEngine(UnpooledByteBufAllocator.DEFAULT);
    }

    /** Null: as it should be; otherwise what is wrong. */
    private static String told(
            Way way,
            Certificates certificates,
            TestRelay relay,
            Random random,
            Kind kind,
            int publisher,
            int valid,
            Fault fault)
            throws Exception {
        SocketAddress to =
                certificates == null ? relay.publish() : relay.relay().tlsPublishAddress();
        try (SocketChannel channel = PlainPublisher.open(to, 0)) {
            TlsLine tls = certificates == null ? null : new TlsLine(engine(way, certificates), channel);
            Frames frames = new Frames();
            if (kind != Kind.PLAIN) {
                frames.raw(hello(kind, publisher));
                if (random.nextBoolean()) {
                    channel.write(ByteBuffer.wrap(tls == null ? frames.bytes() : tls.say(frames.bytes())));
                    frames = new Frames();
                    pause(random, 2);
                }
            }
            int longest = random.nextInt(6) == 0 ? 100_000 / Math.max(1, valid) : 100;
            for (int n = 0; n < valid; n++) {
                frames.frame(Frames.type(publisher, n), random.nextInt(longest));
            }
            boolean apart = random.nextInt(3) == 0;
            byte[] bytes = apart ? frames.bytes() : frames.raw(fault.bytes).bytes();
            ByteArrayOutputStream wire = new ByteArrayOutputStream();
            wire.writeBytes(tls == null ? bytes : tls.say(bytes));
            if (apart) {
                wire.writeBytes(tls == null ? fault.bytes : tls.say(fault.bytes));
            }
            if (tls != null) {
                wire.writeBytes(tls.sayEnd());
            }
            try {
                inPieces(channel, wire.toByteArray(), random);
                if (random.nextInt(3) == 0) {
                    pause(random, 10);
                }
                channel.shutdownOutput();
            } catch (IOException e) {
                // The relay had enough of it before all was sent: what it said of that is there to be read.
            }
            byte[] said;
            try {
                said = tls == null ? readToEnd(channel) : tls.readToEnd();
            } catch (IOException e) {
                return e.toString();
            }
            return check(Control.all(ByteBuffer.wrap(said)), kind, valid, fault);
        }
    }

    private static void inPieces(SocketChannel channel, byte[] bytes, Random random) throws IOException {
        int at = 0;
        for (int pieces = random.nextInt(4); at < bytes.length; pieces--) {
            int length = pieces <= 0 ? bytes.length - at : 1 + random.nextInt(bytes.length - at);
            for (ByteBuffer piece = ByteBuffer.wrap(bytes, at, length); piece.hasRemaining(); ) {
                channel.write(piece);
            }
            at += length;
            if (at < bytes.length && random.nextBoolean()) {
                pause(random, 2);
            }
        }
    }

    /** Any time up to so many milliseconds: whatever the relay has done by then. */
    private static void pause(Random random, int mostMillis) {
        LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(mostMillis)));
    }

    private static byte[] readToEnd(SocketChannel channel) throws IOException {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        ByteBuffer some = ByteBuffer.allocate(64 << 10);
        while (channel.read(some.clear()) >= 0) {
            said.write(some.array(), 0, some.position());
        }
        return said.toByteArray();
    }

    private static String check(List<Control> told, Kind kind, int valid, Fault fault) {
        if (told.isEmpty()) {
            return "is told nothing";
        }
        Control last = told.get(told.size() - 1);
        if (last.type() != Hello.ERROR) {
            return "is told " + Integer.toHexString(last.type()) + " last";
        }
        if (CloseReason.ofCode(last.code()) != fault.reason) {
            return "is told " + CloseReason.ofCode(last.code()) + " " + last.text();
        }
        long acked = told.stream()
                .filter(f -> f.type() == Hello.ACK)
                .mapToLong(Control::first)
                .max()
                .orElse(0);
        long wanted = kind == Kind.ACKS ? valid : 0;
        return acked == wanted ? null : "is told ACK " + acked;
    }

    // ---- subscribers ---------------------------------------------------------------------------------------------

    /**
     * A subscriber, with much or little under way to it: it breaks a rule, and ends its output. Returns why it ends.
     */
    private static CloseReason fillAndEnd(TestRelay relay, SocketChannel channel, boolean speaks, Random random)
            throws IOException {
        relay.awaitSubscribers(1);
        if (random.nextInt(4) > 0) {
            relay.fill(relay.relay().newLocalPublisher(), 1000 + random.nextInt(30_000));
        }
        CloseReason reason = speaks ? CloseReason.NEGATIVE_LENGTH : CloseReason.UNEXPECTED_INPUT;
        Frames fault = speaks ? new Frames().header(Hello.PING, -1) : new Frames().frame(7, 10);
        inPieces(channel, fault.bytes(), random);
        channel.shutdownOutput();
        relay.awaitClosed(reason, 1);
        return reason;
    }

    /** It does not read for a while: then it gets all of what is under way, and the ERROR. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void aSubscriberThatIsSentTo(Setting setting) throws Exception {
        Random random = Seeds.random("FaultAndEndTest " + setting);
        for (int i = 0; i < Math.max(4, CASES / 10); i++) {
            boolean speaks = i % 2 == 0;
            try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                    SocketChannel channel = PlainPublisher.open(relay.subscribe(), 16 << 10)) {
                if (speaks) {
                    channel.write(HelloFrame.subscriber().build().encode());
                }
                CloseReason reason = fillAndEnd(relay, channel, speaks, random);
                pause(random, 10);
                assertLast(ByteBuffer.wrap(readToEnd(channel)), reason);
            }
        }
    }

    private static void assertLast(ByteBuffer bytes, CloseReason reason) {
        int last = 0;
        for (int next = 0; next < bytes.capacity(); next += 8 + bytes.getInt(next + 4)) {
            last = next;
        }
        assertThat(8 + bytes.getInt(last + 4)).as("ends behind a frame").isEqualTo(bytes.capacity() - last);
        assertThat(bytes.getInt(last)).as("the type of the last frame").isEqualTo(Hello.ERROR);
        assertThat(CloseReason.ofCode(bytes.getShort(last + 8))).isEqualTo(reason);
    }

    // ---- who does not read -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void whoReadsNothingIsClosedAllTheSame(Setting setting) throws Exception {
        UnaryOperator<RelayConfig.Builder> impatient = b -> b.set(STALL_TIMEOUT, Duration.ofMillis(100));
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE, impatient);
                SocketChannel publisher = PlainPublisher.open(relay.publish(), 0);
                SocketChannel subscriber = PlainPublisher.open(relay.subscribe(), 16 << 10)) {
            publisher.write(new Frames().frame(7, 10).header(7, -1).buffer());
            publisher.shutdownOutput();
            relay.awaitClosed(CloseReason.NEGATIVE_LENGTH, 1);
            relay.awaitSubscribers(1);
            LocalPublisher local = relay.relay().newLocalPublisher();
            for (int n = 0; n < 8; n++) {
                TestRelay.publish(local, n, 200_000, Await.LIMIT_NANOS);
            }
            subscriber.write(new Frames().frame(7, 10).buffer());
            subscriber.shutdownOutput();
            relay.awaitClosed(CloseReason.UNEXPECTED_INPUT, 1);
            RelayEngine engine = Sessions.get(relay.relay(), "engine");
            Await.until("no channel is left", () -> engine.services().table().allGone());
            assertThat(publisher.isOpen() && subscriber.isOpen()).isTrue();
        }
    }
}
