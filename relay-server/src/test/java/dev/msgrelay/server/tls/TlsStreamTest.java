package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.config.RelayConfig;
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
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.ops.Counter;
import io.netty.pkitesting.X509Bundle;
import java.util.Random;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes in over TLS or without, comes out over TLS and without, whatever the library and the transport. */
class TlsStreamTest {
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

    static TestRelay start(SecuredWay way, Certificates certificates, UnaryOperator<RelayConfig.Builder> more)
            throws Exception {
        TlsFiles files = certificates.relayFiles();
        return TestRelay.start(
                way.setting,
                b -> more.apply(
                        b.tls(files).tlsPublishPort(0).tlsSubscribePort(0).tlsProvider(way.provider)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void everyByteInItsOrder(SecuredWay way) throws Exception {
        Random random = Seeds.random("TlsStreamTest " + way);
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(way, certificates, b -> b);
                TlsBridge in = new TlsBridge(relay.relay().tlsPublishAddress(), certificates.client());
                TlsBridge out = new TlsBridge(relay.relay().tlsSubscribeAddress(), certificates.client());
                PlainSubscriber secured = PlainSubscriber.connect(out.address());
                PlainSubscriber plain = PlainSubscriber.connect(relay.subscribe());
                PlainPublisher publisher = PlainPublisher.connect(in.address())) {
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

    /** Chosen types, changed under way, and PING and SEQUENCE between the messages. */
    @ParameterizedTest
    @MethodSource("ways")
    void chosenTypesAndWhatIsSaidBetween(SecuredWay way) throws Exception {
        Random random = Seeds.random("TlsStreamTest " + way);
        Numbered messages = new Numbered(random, 10, 40, 300, 8300, 70_000);
        TypeRanges half = TypeRanges.of(0, 4);
        Workers workers = new Workers();
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(way, certificates, b -> b.slowSubscriber(Policy.BACKPRESSURE));
                TlsBridge out = new TlsBridge(relay.relay().tlsSubscribeAddress(), certificates.client());
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber subscriber = SpeakingSubscriber.connect(out.address(), new Account(messages))) {
            relay.awaitSubscribers(1);
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

    /** A publisher with acknowledgements is told what it is told without TLS. */
    @ParameterizedTest
    @MethodSource("ways")
    void acknowledgements(SecuredWay way) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(way, certificates, b -> b);
                TlsBridge in = new TlsBridge(relay.relay().tlsPublishAddress(), certificates.client());
                TalkingPublisher publisher = TalkingPublisher.connect(in.address())) {
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
        try (Certificates certificates = new Certificates()) {
            X509Bundle many = certificates.signed("CN=relay of a thousand names", b -> {
                for (int i = 0; i < 1000; i++) {
                    b.addSanDnsName("name-" + i + ".relay.example");
                }
                return b.addSanIpAddress("127.0.0.1");
            });
            TlsFiles files = certificates.relayFiles(many);
            assertThat(many.getCertificate().getEncoded().length).isGreaterThan(TlsRecords.SMALL);
            try (TestRelay relay = start(way, certificates, b -> b.tls(files));
                    SSLSocket socket = TlsBridge.connect(
                            certificates.client(), relay.relay().tlsSubscribeAddress(), 0)) {
                relay.awaitSubscribers(1);
                assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
            }
        }
    }

    /** What connections took comes back, and what is large already while they are there and have nothing to do. */
    @ParameterizedTest
    @MethodSource("ways")
    void memoryIsGivenBack(SecuredWay way) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(way, certificates, b -> b);
                TlsBridge in = new TlsBridge(relay.relay().tlsPublishAddress(), certificates.client());
                TlsBridge out = new TlsBridge(relay.relay().tlsSubscribeAddress(), certificates.client())) {
            long before = 0;
            for (int round = 0; round < 3; round++) {
                long atFirst = before;
                try (PlainSubscriber secured = PlainSubscriber.connect(out.address());
                        PlainPublisher publisher = PlainPublisher.connect(in.address())) {
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
