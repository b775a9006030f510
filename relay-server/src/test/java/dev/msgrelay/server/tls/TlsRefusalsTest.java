package dev.msgrelay.server.tls;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Strange;
import dev.msgrelay.server.harness.TestRelay;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever may not come in: is counted, is told where that can be, and nobody else notices. */
class TlsRefusalsTest {
    private static SecuredRelay start(TlsProvider provider, Duration timeout) throws Exception {
        return SecuredRelay.start(
                Setting.NIO_TCP, provider, Certificates::relayFiles, b -> b.set(HANDSHAKE_TIMEOUT, timeout));
    }

    @ParameterizedTest
    @CsvSource({"BORINGSSL, false", "JDK, false", "BORINGSSL, true", "JDK, true"})
    void clientsWithWrongCertificates(TlsProvider provider, boolean optional) throws Exception {
        Instant now = Instant.now();
        try (SecuredRelay tls = SecuredRelay.start(provider, certificates -> certificates.mutual(optional));
                Neighbours neighbours = new Neighbours(tls.relay)) {
            TestRelay relay = tls.relay;
            List<X509Bundle> wrong = new ArrayList<>();
            wrong.add(tls.certificates.signed(
                    "CN=late", b -> b.notBefore(now.minusSeconds(7200)).notAfter(now.minusSeconds(3600))));
            wrong.add(tls.certificates.signed(
                    "CN=early", b -> b.notBefore(now.plusSeconds(3600)).notAfter(now.plusSeconds(7200))));
            wrong.add(tls.certificates.foreign("CN=foreign"));
            List<X509Bundle> right = new ArrayList<>(List.of(tls.certificates.signed("CN=audit", b -> b)));
            // To show none is right where certificates are optional.
            (optional ? right : wrong).add(null);
            for (int i = 0; i < wrong.size(); i++) {
                assertRefused(tls, wrong.get(i));
                relay.awaitClosed(CloseReason.TLS_FAILED, i + 1);
            }
            neighbours.assertUnaffected();
            assertThat(relay.stats().get(Counter.TLS_FAILURES)).isEqualTo(wrong.size());
            assertThat(relay.stats().get(Counter.TLS_HANDSHAKES)).isZero();
            for (X509Bundle client : right) {
                relay.awaitSubscribers(1);
                try (SSLSocket good = tls.connect(client, tls.subscribe())) {
                    relay.awaitSubscribers(2);
                    assertThat(good.getSession().getProtocol()).isEqualTo("TLSv1.3");
                }
            }
        }
    }

    /** With TLS 1.3 a client learns behind its own handshake that the relay does not take its certificate. */
    private static void assertRefused(SecuredRelay tls, X509Bundle client) {
        assertThatThrownBy(() -> {
                    try (SSLSocket socket = tls.connect(client, tls.subscribe())) {
                        socket.setSoTimeout(Await.LIMIT_MILLIS);
                        int read = socket.getInputStream().read();
                        throw new AssertionError("a client with a wrong certificate has read " + read);
                    }
                })
                .isInstanceOf(SSLException.class)
                // A client must be able to see that it is about its certificate: it may be renewed.
                .hasMessageMatching("(?s).*(certificate_(unknown|expired|required)|bad_certificate|unknown_ca).*");
    }

    /** The relay's own certificate is for another name: the client goes, and that is counted. */
    @EachLibrary
    void aRelayOfAnotherName(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(
                        provider, c -> c.relayFiles(c.signed("CN=x", b -> b.addSanDnsName("other.example"))));
                Neighbours neighbours = new Neighbours(tls.relay)) {
            assertThatThrownBy(() -> tls.connect(null, tls.publish()))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("127.0.0.1");
            tls.relay.awaitClosed(CloseReason.TLS_FAILED, 1);
            neighbours.assertUnaffected();
        }
    }

    @EachLibrary
    void olderVersionsOfTls(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(provider);
                Neighbours neighbours = new Neighbours(tls.relay)) {
            int port = tls.publish().getPort();
            try (SSLSocket socket =
                    (SSLSocket) tls.certificates.client().getSocketFactory().createSocket("127.0.0.1", port)) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                assertThatThrownBy(socket::startHandshake)
                        .isInstanceOf(SSLException.class)
                        .hasMessageContaining("protocol_version");
            }
            tls.relay.awaitClosed(CloseReason.TLS_FAILED, 1);
            // A ClientHello of TLS 1.1, as no library makes it any more.
            assertThat(answer(port, helloOfTls11())).startsWith(21, 3).endsWith(2, 70);
            tls.relay.awaitClosed(CloseReason.TLS_FAILED, 2);
            neighbours.assertUnaffected();
        }
    }

    /** What a client gets for some bytes, up to the end of its connection. */
    private static byte[] answer(int port, byte[] bytes) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream().write(bytes);
            return socket.getInputStream().readAllBytes();
        }
    }

    /** Version 0x0302, one cipher suite, no extensions. */
    private static byte[] helloOfTls11() {
        ByteBuffer hello = ByteBuffer.allocate(5 + 4 + 2 + 32 + 1 + 4 + 2);
        hello.put((byte) 22).putShort((short) 0x0301).putShort((short) (hello.capacity() - 5));
        hello.put((byte) 1).put((byte) 0).putShort((short) (hello.capacity() - 9));
        hello.putShort((short) 0x0302).put(new byte[32]).put((byte) 0);
        hello.putShort((short) 2).putShort((short) 0xC013).put((byte) 1).put((byte) 0);
        return hello.array();
    }

    @Test
    void clientsWithoutTls() throws Exception {
        try (SecuredRelay tls = start(TlsProvider.AUTO, Duration.ofSeconds(2));
                Neighbours neighbours = new Neighbours(tls.relay)) {
            TestRelay relay = tls.relay;
            ByteBuffer[] first = {
                ByteBuffer.wrap(Hello.plain().bytes()),
                new Frames().frame(7, 100).buffer(),
                ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8)),
            };
            for (ByteBuffer bytes : first) {
                try (PlainPublisher publisher = PlainPublisher.connect(tls.publish())) {
                    PlainPublisher.Error error = publisher.send(bytes).awaitError();
                    assertThat(error.code()).isEqualTo(CloseReason.TLS_FAILED.code());
                    assertThat(error.text()).contains("this port is for TLS");
                }
            }
            try (PlainPublisher subscriber = PlainPublisher.connect(tls.subscribe())) {
                ByteBuffer hello = HelloFrame.subscriber().build().encode();
                assertThat(subscriber.send(hello).awaitError().text()).contains("this port is for TLS");
            }
            // One that waits for messages is told once the time is up.
            try (PlainPublisher subscriber = PlainPublisher.connect(tls.subscribe())) {
                assertThat(subscriber.awaitError().text()).contains("no TLS handshake within 2000 ms");
            }
            assertThat(relay.closed(CloseReason.TLS_FAILED)).isEqualTo(5);
            assertThat(relay.stats().get(Counter.PLAIN_ON_TLS_PORT)).isEqualTo(4);
            neighbours.assertUnaffected();
        }
    }

    @Test
    void aProxysHeader() throws Exception {
        try (SecuredRelay tls = start(TlsProvider.AUTO, Duration.ofSeconds(2));
                Neighbours neighbours = new Neighbours(tls.relay)) {
            int refused = 0;
            for (InetSocketAddress port : List.of(tls.publish(), tls.subscribe())) {
                for (int piece : new int[] {12, 5, 1}) {
                    PlainPublisher.Error second = told(port, Strange.proxied(), piece);
                    assertThat(second.code()).isEqualTo(CloseReason.UNSUPPORTED.code());
                    assertThat(second.text()).startsWith("the PROXY protocol, version 2");
                    PlainPublisher.Error first = told(port, Strange.proxiedByLine(), piece);
                    assertThat(first.code()).isEqualTo(CloseReason.UNSUPPORTED.code());
                    assertThat(first.text()).startsWith("the PROXY protocol, version 1");
                    assertThat(told(port, Strange.ascii("SSH-2.0-OpenSSH"), piece)
                                    .text())
                            .startsWith("this port is for TLS, and the first bytes are those of SSH");
                    refused += 2;
                }
                try (PlainPublisher part = PlainPublisher.connect(port)) {
                    part.send(ByteBuffer.wrap(Strange.SIGNATURE, 0, 11));
                    assertThat(part.awaitError().text()).contains("no TLS handshake within 2000 ms");
                }
            }
            assertThat(tls.relay.closed(CloseReason.UNSUPPORTED)).isEqualTo(refused);
            assertThat(tls.relay.closed(CloseReason.TLS_FAILED)).isEqualTo(8);
            neighbours.assertUnaffected();
        }
    }

    private static PlainPublisher.Error told(InetSocketAddress port, byte[] bytes, int piece) throws Exception {
        try (PlainPublisher client = PlainPublisher.connect(port)) {
            for (int at = 0; at < 12; at += piece) {
                client.send(ByteBuffer.wrap(bytes, at, Math.min(piece, 12 - at)));
            }
            return client.awaitError();
        }
    }

    @Test
    void clientsWithTlsOnThePlainPorts() throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(TlsProvider.AUTO);
                Neighbours neighbours = new Neighbours(tls.relay)) {
            TestRelay relay = tls.relay;
            InetSocketAddress[] ports = {
                relay.relay().publishAddress(), relay.relay().subscribeAddress()
            };
            for (int i = 0; i < 10; i++) {
                InetSocketAddress port = ports[i % 2];
                assertThatThrownBy(() -> tls.connect(null, port)).isInstanceOf(IOException.class);
                relay.awaitClosed(CloseReason.TLS_FAILED, i + 1);
            }
            assertThat(relay.stats().get(Counter.TLS_ON_PLAIN_PORT)).isEqualTo(10);
            neighbours.assertUnaffected();
        }
    }

    @Test
    void aPlainPublisherWhoseTypesLookLikeTls() throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(TlsProvider.AUTO);
                PlainPublisher publisher = tls.relay.publisher()) {
            byte[] frame = new Frames().frame(0x16030102, 100_000).bytes();
            publisher.send(ByteBuffer.wrap(frame, 0, 60_000)).send(ByteBuffer.wrap(frame, 60_000, 40_008));
            tls.relay.awaitMessagesIn(1);
        }
    }

    /** Whoever sends nothing, or a byte now and then, or rubbish in a record. */
    @EachLibrary
    void brokenHandshakes(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = start(provider, Duration.ofMillis(300));
                Neighbours neighbours = new Neighbours(tls.relay)) {
            byte[][] bytes = {
                {22, 3, 1, 0, 4, 1, 0, 0, 0},
                {22, 3, 3, (byte) 255, (byte) 255, 1},
                {22, 3, 1, 0, 5, 99, 0, 0, 1, 0},
                {22, 3, 1},
            };
            int count = 0;
            for (byte[] some : bytes) {
                assertThat(answer(tls.publish().getPort(), some).length).isLessThan(100);
                tls.relay.awaitClosed(CloseReason.TLS_FAILED, ++count);
            }
            neighbours.assertUnaffected();
        }
    }

    /** A record that was changed on the way ends its connection, and the relay goes on. */
    @EachLibrary
    void aChangedRecord(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(provider);
                Socket tcp = new Socket("127.0.0.1", tls.publish().getPort());
                SSLSocket socket = (SSLSocket) tls.certificates
                        .client()
                        .getSocketFactory()
                        .createSocket(tcp, "127.0.0.1", tcp.getPort(), false)) {
            TestRelay relay = tls.relay;
            socket.startHandshake();
            socket.getOutputStream().write(new Frames().frame(7, 10).bytes());
            relay.awaitMessagesIn(1);
            byte[] record = Arrays.copyOf(new byte[] {23, 3, 3, 0, 100}, 105);
            try (Neighbours neighbours = new Neighbours(relay)) {
                tcp.getOutputStream().write(record);
                relay.awaitClosed(CloseReason.TLS_FAILED, 1);
                relay.awaitPublishers(1);
                neighbours.assertUnaffected();
            }
        }
    }

    @Test
    void moreThanThereIsMemoryFor() throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(
                        Setting.NIO_TCP, TlsProvider.AUTO, Certificates::relayFiles, b -> b.set(TLS_SIZE, 1 << 20));
                Neighbours neighbours = new Neighbours(tls.relay)) {
            List<SSLSocket> sockets = new ArrayList<>();
            while (sockets.size() < tls.relay.relay().config().tls().mostConnections()) {
                sockets.add(tls.connect(null, tls.subscribe()));
            }
            try (PlainPublisher one = PlainPublisher.connect(tls.subscribe())) {
                PlainPublisher.Error error = one.awaitError();
                assertThat(error.code()).isEqualTo(CloseReason.MEMORY_LIMIT.code());
                assertThat(error.text()).contains("1048576");
            }
            neighbours.assertUnaffected();
            for (SSLSocket socket : sockets) {
                socket.close();
            }
            Await.until("one more may come", () -> canConnect(tls));
        }
    }

    private static boolean canConnect(SecuredRelay tls) {
        try (SSLSocket socket = tls.connect(null, tls.subscribe())) {
            return socket.isConnected();
        } catch (Exception refused) {
            return false;
        }
    }
}
