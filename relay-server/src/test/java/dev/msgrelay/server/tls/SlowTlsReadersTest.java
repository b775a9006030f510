package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A reader with TLS that stops reading, under each policy, beside a plain one that reads, and a publisher with TLS. */
class SlowTlsReadersTest {
    private static final int LONGEST = 100_000;

    /** Each library once; with all settings, each with each policy. */
    static java.util.stream.Stream<TlsStreamTest.SecuredWay> ways(TlsProvider provider) {
        return TlsStreamTest.ways().filter(way -> Setting.all() || way.provider() == provider);
    }

    static java.util.stream.Stream<TlsStreamTest.SecuredWay> boringSsl() {
        return ways(TlsProvider.BORINGSSL);
    }

    static java.util.stream.Stream<TlsStreamTest.SecuredWay> jdk() {
        return ways(TlsProvider.JDK);
    }

    private interface Course {
        void run(TestRelay relay, PlainSubscriber good, PlainSubscriber slow, PlainPublisher publisher, Stream stream)
                throws Exception;
    }

    /** @param course what happens once all are there; the slow one does not read */
    private static void run(TlsStreamTest.SecuredWay way, Policy policy, Course course) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = TlsStreamTest.start(way, certificates, b -> b.ringSize(TestRelay.SMALL_RING)
                        .logSize(TestRelay.SMALL_LOG)
                        .maxBody(TestRelay.SMALL_MAX_BODY)
                        .stallTimeout(Duration.ofMinutes(10))
                        .slowSubscriber(policy));
                TlsBridge in = new TlsBridge(relay.relay().tlsPublishAddress(), certificates.client());
                TlsBridge out = new TlsBridge(relay.relay().tlsSubscribeAddress(), certificates.client());
                PlainSubscriber good = relay.subscriber();
                PlainSubscriber slow = PlainSubscriber.connectPaused(out.address(), 16 << 10);
                PlainPublisher publisher = PlainPublisher.connect(in.address())) {
            relay.awaitSubscribers(2);
            Stream stream = new Stream(0, LONGEST, Seeds.random("SlowTlsReadersTest " + way));
            course.run(relay, good, slow, publisher, stream);
        }
    }

    @ParameterizedTest
    @MethodSource("boringSsl")
    void disconnect(TlsStreamTest.SecuredWay way) throws Exception {
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
    @MethodSource("jdk")
    void skip(TlsStreamTest.SecuredWay way) throws Exception {
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
    void backpressure(TlsStreamTest.SecuredWay way) throws Exception {
        run(way, Policy.BACKPRESSURE, (relay, good, slow, publisher, stream) -> {
            Workers workers = new Workers();
            workers.start("publisher", () -> {
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
}
