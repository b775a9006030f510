package dev.msgrelay.server.attack;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;

/** Handshakes that are never finished, while publishers send to two subscribers. */
class TlsHandshakesTest {
    /** All of them: {@code -Dtls.closes=10000}. */
    private static final int CLOSES = (int) ThisMachine.setting("tls.closes", 200);

    private static final int SILENT = 100;
    private static final int LATE = 20;
    /** There is time for a few bytes. */
    private static final Duration TIMEOUT = Duration.ofMillis(2500);

    private static final long BETWEEN_BYTES_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static Attack attack(Certificates certificates) throws Exception {
        TlsFiles files = certificates.relayFiles();
        return new Attack(b -> b.set(TLS_FILES, files)
                .set(TLS_PUBLISH_PORT, 0)
                .set(TLS_SUBSCRIBE_PORT, 0)
                .set(HANDSHAKE_TIMEOUT, TIMEOUT));
    }

    /** What a client says when the relay has said all of its own; the relay gets the rest before it. */
    private static byte[] lastFlight(Certificates certificates, SocketChannel channel) throws Exception {
        SSLEngine engine = client(certificates);
        channel.configureBlocking(true);
        channel.write(ByteBuffer.wrap(wrapped(engine)));
        ByteBuffer in = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        ByteBuffer nothing = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
        while (engine.getHandshakeStatus() != HandshakeStatus.NEED_WRAP) {
            Runnable task = engine.getDelegatedTask();
            if (task != null) {
                task.run();
            } else if (engine.unwrap(in.flip(), nothing).getStatus() == Status.BUFFER_UNDERFLOW) {
                if (channel.read(in.compact()) < 0) {
                    // Not within its time, on a busy machine: one more that has not finished.
                    return new byte[0];
                }
            } else {
                in.compact();
            }
        }
        channel.configureBlocking(false);
        return wrapped(engine);
    }

    private static SSLEngine client(Certificates certificates) throws Exception {
        SSLEngine engine = certificates.client().createSSLEngine();
        engine.setUseClientMode(true);
        return engine;
    }

    private static byte[] wrapped(SSLEngine engine) throws Exception {
        ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), record);
        byte[] bytes = new byte[record.flip().remaining()];
        record.get(bytes);
        return bytes;
    }

    /** One with TLS, beside the pair's. On a busy machine an honest handshake may take too long, as well. */
    private static PlainSubscriber subscriber(TestRelay relay, TlsBridge bridge) throws IOException {
        while (true) {
            PlainSubscriber subscriber = PlainSubscriber.connect(bridge.address());
            Await.until(
                    () -> "2 subscribers: " + relay.stats(),
                    () -> relay.stats().subscribers() == 2 || subscriber.end() != null);
            if (subscriber.end() == null) {
                return subscriber;
            }
        }
    }

    /** A byte at a time: of the ClientHello, and of what the client says last. */
    @ConcurrentTest
    void silentAndByteByByte() throws Exception {
        try (Certificates certificates = new Certificates();
                Attack attack = attack(certificates);
                TlsBridge bridge = new TlsBridge(attack.relay.relay().tlsSubscribeAddress(), certificates.client());
                Crowd silent = new Crowd();
                Crowd slow = new Crowd();
                Crowd late = new Crowd()) {
            TestRelay relay = attack.relay;
            PlainSubscriber other = subscriber(relay, bridge);
            byte[] hello = wrapped(client(certificates));
            long failedBefore = relay.closed(CloseReason.TLS_FAILED);
            byte[][] last = new byte[LATE][];
            attack.pair.begin();
            silent.connect(relay.relay().tlsPublishAddress(), SILENT / 2);
            silent.connect(relay.relay().tlsSubscribeAddress(), SILENT / 2);
            slow.connect(relay.relay().tlsPublishAddress(), SILENT);
            for (int i = 0; i < LATE; i++) {
                last[i] = lastFlight(certificates, late.connect(relay.relay().tlsSubscribeAddress()));
            }
            int all = silent.size() + slow.size() + late.size();
            long start = System.nanoTime();
            int sent = 0;
            // Not within the time a whole one takes: each is given up, whatever it has sent.
            for (int ended = 0; ended < all; ended = silent.drain() + slow.drain() + late.drain()) {
                if (System.nanoTime() - start >= sent * BETWEEN_BYTES_NANOS) {
                    slow.offer(Arrays.copyOfRange(hello, sent, sent + 1));
                    for (int i = 0; i < LATE; i++) {
                        if (sent < last[i].length) {
                            Crowd.offer(late.get(i), ByteBuffer.wrap(last[i], sent, 1));
                        }
                    }
                    sent++;
                }
                attack.pair.assertAlive();
                LockSupport.parkNanos(500_000);
            }
            attack.end(all + " handshakes that are silent, or slow");
            assertThat(relay.closed(CloseReason.TLS_FAILED) - failedBefore).isEqualTo(all);
            assertThat(other.end()).isNull();
            assertThat(other.received().wrong()).isNull();
            other.close();
            attack.pair.finish();
        }
    }

    /**
     * Each goes at another byte of its handshake: before, within and behind the ClientHello, and while the relay works
     * on it.
     */
    @ConcurrentTest
    void closesWithinAHandshake() throws Exception {
        try (Certificates certificates = new Certificates();
                Attack attack = attack(certificates)) {
            TestRelay relay = attack.relay;
            byte[] hello = wrapped(client(certificates));
            Random random = new Random(1);
            attack.pair.begin();
            InetSocketAddress[] ports = {
                relay.relay().tlsPublishAddress(), relay.relay().tlsSubscribeAddress()
            };
            for (int i = 0; i < CLOSES; i++) {
                if (i == CLOSES / 2) {
                    attack.pair.goesOn();
                }
                SocketChannel channel = SocketChannel.open(ports[i % 2]);
                int length = i % 3 == 0 ? hello.length : random.nextInt(hello.length + 1);
                channel.write(ByteBuffer.wrap(hello, 0, length));
                if (i % 5 == 0 && length == hello.length) {
                    // The relay's answer has begun.
                    channel.read(ByteBuffer.allocate(1));
                }
                if (i % 7 == 0) {
                    channel.setOption(StandardSocketOptions.SO_LINGER, 0);
                }
                channel.close();
            }
            attack.end(CLOSES + " closes within a handshake");
            Await.until(
                    () -> "all have ended: " + relay.stats(),
                    () -> relay.stats().get(Counter.TLS_FAILURES) == CLOSES);
            Await.until(
                    () -> "memory is given back: " + relay.stats(), () -> Sessions.used(relay.relay(), Part.TLS) == 0);
            attack.pair.finish();
        }
    }
}
