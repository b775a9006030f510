package dev.msgrelay.server.tls;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.config.ProxyConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Strange;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLSocket;

/** TLS behind a PROXY header, which comes in the clear; and what a TLS port behind proxies says without one. */
class ProxiedTlsTest {
    private static SecuredRelay start(TlsProvider provider, UnaryOperator<RelayConfig.Builder> more) throws Exception {
        return SecuredRelay.start(
                Setting.NIO_TCP,
                provider,
                Certificates::relayFiles,
                b -> more.apply(b.set(PROXY_PROTOCOL, ProxyConfig.Mode.REQUIRED)
                        .set(PROXY_FROM, List.of(Network.parse("127.0.0.1")))));
    }

    /** The header by itself, then a handshake. */
    private static SSLSocket connect(SecuredRelay tls, InetSocketAddress port, byte[] header) throws Exception {
        Socket tcp = new Socket(port.getAddress(), port.getPort());
        tcp.setSoTimeout(Await.LIMIT_MILLIS);
        tcp.getOutputStream().write(header);
        SSLSocket secured = (SSLSocket) tls.certificates
                .client()
                .getSocketFactory()
                .createSocket(tcp, port.getHostString(), port.getPort(), true);
        secured.startHandshake();
        return secured;
    }

    @EachLibrary
    void headersBeforeHandshakes(TlsProvider provider) throws Exception {
        byte[] frame = new Frames().frame(7, 5000).bytes();
        try (SecuredRelay tls = start(provider, b -> b);
                SSLSocket subscriber = connect(tls, tls.subscribe(), Strange.proxiedByLine())) {
            tls.relay.awaitSubscribers(1);
            try (SSLSocket publisher = connect(tls, tls.publish(), Strange.proxied())) {
                tls.relay.awaitPublishers(1);
                assertThat(tls.relay.relay().connections())
                        .extracting(ConnectionRow::address)
                        .containsExactly("203.0.113.7:40000", "203.0.113.7:40000");
                publisher.getOutputStream().write(frame);
                assertThat(subscriber.getInputStream().readNBytes(frame.length)).isEqualTo(frame);
            }
            assertThat(tls.relay.stats().get(Counter.TLS_HANDSHAKES)).isEqualTo(2);
            assertThat(tls.relay.stats().get(Counter.PROXY_HEADERS)).isEqualTo(2);
        }
    }

    @EachLibrary
    void refusalsBeforeHandshakes(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = start(provider, b -> b.set(MAX_PER_ADDRESS, 1))) {
            assertTold(tls, Strange.clientHello(200), CloseReason.UNEXPECTED_INPUT);
            try (SSLSocket first = connect(tls, tls.publish(), Strange.proxied())) {
                tls.relay.awaitPublishers(1);
                // Without RETRY_AFTER, since within a handshake clients know an ERROR alone.
                PlainPublisher.Error error = assertTold(tls, Strange.proxied(), CloseReason.TOO_MANY_FROM_ADDRESS);
                assertThat(error.text()).contains("1 connection of 203.0.113.7");
                assertThat(error.waitMillis()).isEqualTo(-1);
                assertThat(first.isConnected()).isTrue();
            }
        }
    }

    /** A client for whose TLS there is no memory leaves nothing behind, also no seat of a subscriber. */
    @EachLibrary
    void noMemoryForTls(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = start(provider, b -> b.set(TLS_SIZE, 1 << 20).set(MAX_CONNECTIONS, 30))) {
            for (int round = 0; round < 2; round++) {
                List<PlainPublisher> begun = new ArrayList<>();
                long before = tls.relay.closed(CloseReason.MEMORY_LIMIT);
                while (tls.relay.closed(CloseReason.MEMORY_LIMIT) == before) {
                    long known = tls.relay.stats().get(Counter.PROXY_HEADERS);
                    begun.add(PlainPublisher.connect(tls.subscribe()).send(ByteBuffer.wrap(Strange.proxied())));
                    Await.until("a header", () -> tls.relay.stats().get(Counter.PROXY_HEADERS) == known + 1);
                }
                for (PlainPublisher each : begun) {
                    each.close();
                }
                Await.until(
                        "no seat", () -> Sessions.groups(Sessions.get(tls.relay.relay(), "engine"))[0].seats() == 0);
                Await.until("no memory", () -> Sessions.used(tls.relay.relay(), Part.TLS) == 0);
            }
        }
    }

    private static PlainPublisher.Error assertTold(SecuredRelay tls, byte[] bytes, CloseReason reason)
            throws IOException {
        try (PlainPublisher client = PlainPublisher.connect(tls.publish())) {
            PlainPublisher.Error error = client.send(ByteBuffer.wrap(bytes)).awaitError();
            assertThat(error.code()).isEqualTo(reason.code());
            return error;
        }
    }
}
