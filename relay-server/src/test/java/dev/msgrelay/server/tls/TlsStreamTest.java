package dev.msgrelay.server.tls;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.net.Transport;
import io.netty.pkitesting.CertificateBuilder;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes in over TLS or without, comes out over TLS and without, whatever the library and the transport. */
class TlsStreamTest {
    private static final int LONGEST = 100_000;

    /** A setting and a library. */
    record SecuredWay(Setting setting, TlsProvider provider) {}

    /** Each library with each transport and each number of loops, by two and two; or each of them once. */
    static java.util.stream.Stream<SecuredWay> ways() {
        if (!Setting.all()) {
            return Setting.oneAndTwoLoops()
                    .map(s -> new SecuredWay(s, s.loops() == 1 ? TlsProvider.JDK : TlsProvider.BORINGSSL));
        }
        return Setting.oneAndTwoLoops()
                .map(s -> new SecuredWay(
                        s,
                        (s.transport() == Transport.NIO) == (s.loops() == 1)
                                ? TlsProvider.BORINGSSL
                                : TlsProvider.JDK));
    }

    private static SecuredRelay start(SecuredWay way, UnaryOperator<RelayConfig.Builder> more) throws Exception {
        return SecuredRelay.start(way.setting, way.provider, Certificates::relayFiles, more);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void everyByteInItsOrder(SecuredWay way) throws Exception {
        Random random = Seeds.random("TlsStreamTest " + way);
        try (SecuredRelay tls = start(way, b -> b);
                PlainSubscriber secured = PlainSubscriber.connect(tls.out());
                PlainSubscriber plain = PlainSubscriber.connect(tls.relay.subscribe());
                PlainPublisher publisher = PlainPublisher.connect(tls.in())) {
            TestRelay relay = tls.relay;
            relay.awaitSubscribers(2);
            Stream stream = new Stream(0, 150_000, random);
            while (stream.bytes() < 2 << 20) {
                publisher.send(stream.next(1 + random.nextInt(300_000)));
                secured.awaitMessages(stream.count());
            }
            plain.awaitMessages(stream.count()).received().assertAllOf(stream.count());
            secured.received().assertAllOf(stream.count());
            assertThat(relay.stats().get(Counter.TLS_HANDSHAKES)).isEqualTo(2);
            assertThat(relay.stats().closes()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void chosenTypesAndWhatIsSaidBetween(SecuredWay way) throws Exception {
        Random random = Seeds.random("TlsStreamTest " + way);
        Numbered messages = new Numbered(random, 10, 40, 300, 8300, 70_000);
        TypeRanges half = TypeRanges.of(0, 4);
        Workers workers = new Workers();
        try (SecuredRelay tls = start(way, b -> b.set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE));
                NumberedPublisher publisher = new NumberedPublisher(tls.relay, messages);
                SpeakingSubscriber subscriber = SpeakingSubscriber.connect(tls.out(), new Account(messages))) {
            tls.relay.awaitSubscribers(1);
            subscriber.hello(SpeakingSubscriber.numbered(half)).awaitWelcome();
            publisher.publishOn(workers);
            for (int change = 1; change <= 4; change++) {
                subscriber.subscribe(change, change % 2 == 0 ? half : TypeRanges.ALL);
                subscriber.awaitSaid(ControlFrames.SUBSCRIBED, change);
                subscriber.ping(change).awaitSaid(ControlFrames.PONG, change);
            }
            publisher.stop();
            workers.join();
            long end = publisher.next();
            subscriber.subscribe(5, TypeRanges.ALL).awaitSaid(ControlFrames.SUBSCRIBED, 5);
            assertThat(subscriber.account().wrong()).isNull();
            assertThat(subscriber.account().missed()).isZero();
            assertThat(end).isPositive();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void acknowledgements(SecuredWay way) throws Exception {
        try (SecuredRelay tls = start(way, b -> b);
                TalkingPublisher publisher = TalkingPublisher.connect(tls.in())) {
            publisher.send(Hello.acks("orders", 1).bytes());
            publisher.await(Hello.WELCOME);
            for (int i = 1; i <= 100; i++) {
                publisher.send(new Frames().frame(7, i * 500).bytes());
            }
            publisher.awaitAck(100);
        }
    }

    /** What the relay says in the handshake is longer than its buffer, and goes in several parts. */
    @ParameterizedTest
    @MethodSource("ways")
    void aLongCertificate(SecuredWay way) throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(
                        way.setting,
                        way.provider,
                        c -> c.relayFiles(c.signed("CN=relay of a thousand names", TlsStreamTest::withManyNames)),
                        b -> b);
                SSLSocket socket = tls.connect(null, tls.subscribe())) {
            tls.relay.awaitSubscribers(1);
            assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
            assertThat(socket.getSession().getPeerCertificates()[0].getEncoded().length)
                    .isGreaterThan(TlsRecords.SMALL);
        }
    }

    private static CertificateBuilder withManyNames(CertificateBuilder builder) {
        for (int i = 0; i < 1000; i++) {
            builder.addSanDnsName("name-" + i + ".relay.example");
        }
        return builder.addSanIpAddress("127.0.0.1");
    }

    // ---- readers that stop reading, beside a plain one that reads ---------------------------------------------------

    static java.util.stream.Stream<SecuredWay> boringSsl() {
        return ways().filter(way -> Setting.all() || way.provider == TlsProvider.BORINGSSL);
    }

    private interface Course {
        void run(TestRelay relay, PlainSubscriber good, PlainSubscriber slow, PlainPublisher publisher, Stream stream)
                throws Exception;
    }

    /** @param course what happens once all are there; the slow one does not read */
    private static void run(SecuredWay way, Policy policy, Course course) throws Exception {
        try (SecuredRelay tls = start(way, b -> b.set(RING_SIZE, TestRelay.SMALL_RING)
                        .set(LOG_SIZE, TestRelay.SMALL_LOG)
                        .set(MAX_BODY, TestRelay.SMALL_MAX_BODY)
                        .set(STALL_TIMEOUT, Duration.ofMinutes(10))
                        .set(SLOW_SUBSCRIBER, policy));
                PlainSubscriber good = tls.relay.subscriber();
                PlainSubscriber slow = PlainSubscriber.connectPaused(tls.out(), 16 << 10);
                PlainPublisher publisher = PlainPublisher.connect(tls.in())) {
            tls.relay.awaitSubscribers(2);
            course.run(
                    tls.relay,
                    good,
                    slow,
                    publisher,
                    new Stream(0, LONGEST, Seeds.random("TlsStreamTest " + way + ' ' + policy)));
        }
    }

    @ParameterizedTest
    @MethodSource("boringSsl")
    void aSlowReaderIsCutOff(SecuredWay way) throws Exception {
        run(way, Policy.DISCONNECT, (relay, good, slow, publisher, stream) -> {
            while (relay.closed(CloseReason.SLOW_SUBSCRIBER) == 0) {
                assertThat(stream.bytes()).isLessThan(20 * Stream.ENOUGH);
                publisher.send(stream.next(LONGEST));
                good.awaitMessages(stream.count());
            }
            slow.resume();
            // What it got before its end is right; its last frame may be cut.
            slow.awaitEnd();
            assertThat(slow.received().wrong()).isNull();
            good.received().assertAllOf(stream.count());
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aSlowReaderIsSkipped(SecuredWay way) throws Exception {
        run(way, Policy.SKIP, (relay, good, slow, publisher, stream) -> {
            // The bridge's sockets hold some, too.
            while (stream.bytes() < 3L * Stream.ENOUGH / 2) {
                publisher.send(stream.next(LONGEST));
                good.awaitMessages(stream.count());
            }
            slow.resume();
            Await.until(
                    () -> "everything received or skipped: " + relay.stats() + ", received "
                            + slow.received().count() + " of " + stream.count(),
                    () -> slow.received().count() + relay.stats().get(Counter.MESSAGES_SKIPPED) == stream.count()
                            || slow.received().wrong() != null);
            slow.received().assertOrderOnly(1);
            good.received().assertAllOf(stream.count());
            assertThat(relay.stats().get(Counter.MESSAGES_SKIPPED)).isPositive();
            assertThat(relay.stats().closes()).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("boringSsl")
    void publishersWaitForASlowReader(SecuredWay way) throws Exception {
        run(way, Policy.BACKPRESSURE, (relay, good, slow, publisher, stream) -> {
            Workers workers = new Workers().start("publisher", () -> {
                while (relay.stats().get(Counter.HELD_BACK) == 0) {
                    publisher.send(stream.next(LONGEST));
                }
            });
            Await.until(
                    () -> "the publisher is held back: " + relay.stats(),
                    () -> relay.stats().get(Counter.HELD_BACK) > 0);
            slow.resume();
            workers.join();
            slow.awaitMessages(stream.count()).received().assertAllOf(stream.count());
            good.awaitMessages(stream.count()).received().assertAllOf(stream.count());
            assertThat(relay.stats().closes()).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void memoryIsGivenBack(SecuredWay way) throws Exception {
        try (SecuredRelay tls = start(way, b -> b)) {
            TestRelay relay = tls.relay;
            SocketAddress in = tls.in();
            SocketAddress out = tls.out();
            long before = 0;
            for (int round = 0; round < 3; round++) {
                long atFirst = before;
                try (PlainSubscriber secured = PlainSubscriber.connect(out);
                        PlainPublisher publisher = PlainPublisher.connect(in)) {
                    relay.awaitSubscribers(1);
                    Stream stream = new Stream(0, 100_000, new Random(round));
                    publisher.send(stream.next(1_500_000));
                    secured.awaitMessages(stream.count());
                    long most = atFirst + 2 * (95 << 10);
                    Await.until(
                            () -> "large buffers are given back: " + relay.stats(),
                            () -> atFirst == 0 || relay.stats().get(Counter.MEMORY_DIRECT_BYTES) <= most);
                }
                Await.until(
                        () -> "both are gone: " + relay.stats(),
                        () -> relay.stats().subscribers() + relay.stats().publishers() == 0);
                if (round == 0) {
                    // The loop keeps a buffer for begun frames. What a connection is told has memory for a moment
                    // longer than it is counted, far less than a buffer of TLS.
                    before = relay.stats().get(Counter.MEMORY_DIRECT_BYTES);
                } else {
                    Await.until(
                            () -> "all of it is given back, down to " + atFirst + ": " + relay.stats(),
                            () -> relay.stats().get(Counter.MEMORY_DIRECT_BYTES) <= atFirst);
                }
            }
        }
    }
}
