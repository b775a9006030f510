package dev.msgrelay.server.attack;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.ThrowingEngine;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.tls.TlsContext;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsHandler;
import dev.msgrelay.server.tls.TlsProvider;
import dev.msgrelay.server.tls.TlsRecords;
import io.netty.channel.Channel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The library of TLS throws in each of its steps what no library should, exceptions and errors: that session ends, and
 * nobody else notices, a pair with TLS of its own least of all.
 */
class ThrowingTlsTest {
    /** A record with nothing that is looked at. */
    private static final byte[] RECORD = {22, 3, 1, 0, 5, 1, 0, 0, 1, 0};

    private int broken;
    private TestRelay relay;
    private Set<Channel> present;
    private Set<Channel> others;

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void nobodyElseNotices(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles files = certificates.relayFiles();
            SSLContext client = certificates.client();
            try (MemoryWatch memory = new MemoryWatch();
                    TestRelay started = Attack.start(0, b -> b.set(EVENT_LOOPS, 1)
                            .set(TLS_FILES, files)
                            .set(TLS_PROVIDER, provider)
                            .set(TLS_PUBLISH_PORT, 0)
                            .set(TLS_SUBSCRIBE_PORT, 0));
                    TlsBridge in = new TlsBridge(started.relay().tlsPublishAddress(), client);
                    TlsBridge out = new TlsBridge(started.relay().tlsSubscribeAddress(), client);
                    HealthyPair pair = new HealthyPair(in.address(), out.address())) {
                relay = started;
                Optional<TlsContext> tls = Sessions.get(Sessions.get(relay.relay(), "parts"), "tls");
                present = Sessions.get(tls.orElseThrow(), "present");
                pair.push(1 << 20);
                pair.begin();
                for (Throwable fault : new Throwable[] {
                    new IllegalStateException("a fault that the test made"),
                    new StackOverflowError("an error that the test made")
                }) {
                    handshake(HandshakeStatus.NEED_TASK, fault);
                    handshake(HandshakeStatus.NEED_WRAP, fault);
                    handshake(HandshakeStatus.NEED_UNWRAP, fault);
                    publisher(client, HandshakeStatus.NOT_HANDSHAKING, fault);
                    publisher(client, HandshakeStatus.NEED_TASK, fault);
                    subscriber(client, HandshakeStatus.NOT_HANDSHAKING, fault);
                    subscriber(client, HandshakeStatus.NEED_TASK, fault);
                }
                pair.end(broken + " sessions whose TLS throws");
                assertThat(relay.stats().get(Counter.FAILURES)).isEqualTo(broken);
                memory.assertWithinBudget(relay);
                pair.push(4 << 20);
                pair.finish();
            }
        }
    }

    private void handshake(HandshakeStatus step, Throwable fault) throws Exception {
        awaitThePairOnly();
        InetSocketAddress port = relay.relay().tlsPublishAddress();
        try (Socket socket = new Socket(port.getAddress(), port.getPort())) {
            spoil(channel -> {
                Object handshake = channel.pipeline().first();
                // Nobody else knows this one any more: the collector would find it, and its context with it.
                ReferenceCountUtil.release(Sessions.get(handshake, "engine"));
                Sessions.set(handshake, "engine", new ThrowingEngine(step, fault));
            });
            socket.getOutputStream().write(RECORD);
            awaitEnd("the handshake, " + step, socket);
        }
    }

    /** Reading: the library says that it has to be asked, and throws then; or it throws at once. */
    private void publisher(SSLContext client, HandshakeStatus step, Throwable fault) throws Exception {
        awaitThePairOnly();
        try (SSLSocket socket = TlsBridge.connect(client, relay.relay().tlsPublishAddress(), 0)) {
            relay.awaitPublishers(HealthyPair.PUBLISHERS + 1);
            spoil(channel -> engineOf(channel, "in", "out", new ThrowingEngine(step, fault)));
            socket.getOutputStream().write(new Frames().frame(7, 10).bytes());
            awaitEnd("unwrap, " + step, socket);
        }
    }

    /** Writing: the pair's messages are for this one as well. */
    private void subscriber(SSLContext client, HandshakeStatus step, Throwable fault) throws Exception {
        awaitThePairOnly();
        try (SSLSocket socket = TlsBridge.connect(client, relay.relay().tlsSubscribeAddress(), 0)) {
            relay.awaitSubscribers(2);
            spoil(channel -> engineOf(channel, "out", "out", new ThrowingEngine(step, fault)));
            awaitEnd("wrap, " + step, socket);
        }
    }

    private static void engineOf(Channel channel, String one, String other, ThrowingEngine engine) {
        TlsHandler handler = TlsHandler.of(channel);
        Sessions.set(Sessions.get(handler, one), "engine", engine);
        Sessions.set(Sessions.get(handler, other), "engine", engine);
    }

    /** Spoils the one that has come, on its thread. */
    private void spoil(Consumer<Channel> how) throws Exception {
        Channel[] found = new Channel[1];
        Await.until("a channel", () -> {
            present.stream().filter(c -> !others.contains(c)).forEach(c -> found[0] = c);
            return found[0] != null && found[0].isRegistered();
        });
        found[0].eventLoop().submit(() -> how.accept(found[0])).get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void awaitThePairOnly() {
        long ofThePair = (long) (HealthyPair.PUBLISHERS + 1) * TlsRecords.bytesOfConnection(true);
        Await.until(
                () -> "the memory of the others is given back: " + relay.stats(),
                () -> present.size() == HealthyPair.PUBLISHERS + 1
                        && Sessions.used(relay.relay(), Part.TLS) < 3 * ofThePair);
        others = new HashSet<>(present);
    }

    private void awaitEnd(String step, Socket socket) throws Exception {
        broken++;
        Await.until(
                () -> step + " ends its session, the one number " + broken + ": " + relay.stats(),
                () -> relay.closed(CloseReason.INTERNAL_ERROR) >= broken);
        assertThat(relay.stats().closes()).as(step).containsOnly(Map.entry(CloseReason.INTERNAL_ERROR, (long) broken));
        socket.setSoTimeout(Await.LIMIT_MILLIS);
        try {
            socket.getInputStream().readAllBytes();
        } catch (SocketTimeoutException notClosed) {
            throw notClosed;
        } catch (IOException closed) {
            // Without a word, and perhaps by a reset.
        }
    }
}
