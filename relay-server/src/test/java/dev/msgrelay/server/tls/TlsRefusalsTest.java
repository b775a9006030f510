package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.ops.Counter;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever may not come in: is counted, is told where that can be, and nobody else notices. */
class TlsRefusalsTest {
    private static TestRelay start(TlsFiles files, TlsProvider provider) throws IOException {
        return start(files, provider, Duration.ofSeconds(Await.LIMIT_SECONDS));
    }

    private static TestRelay start(TlsFiles files, TlsProvider provider, Duration timeout) throws IOException {
        return TestRelay.start(Setting.NIO_TCP, b -> b.tls(files)
                .tlsPublishPort(0)
                .tlsSubscribePort(0)
                .tlsProvider(provider)
                .handshakeTimeout(timeout));
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void clientsWithWrongCertificates(TlsProvider provider) throws Exception {
        Instant now = Instant.now();
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.mutual(false), provider);
                Neighbours neighbours = new Neighbours(relay)) {
            X509Bundle expired = certificates.signed(
                    "CN=late", b -> b.notBefore(now.minusSeconds(7200)).notAfter(now.minusSeconds(3600)));
            X509Bundle early = certificates.signed(
                    "CN=early", b -> b.notBefore(now.plusSeconds(3600)).notAfter(now.plusSeconds(7200)));
            X509Bundle[] wrong = {expired, early, certificates.foreign("CN=foreign"), null};
            for (int i = 0; i < wrong.length; i++) {
                SSLContext client = certificates.client(wrong[i]);
                assertRefused(client, relay.relay().tlsSubscribeAddress());
                relay.awaitClosed(CloseReason.TLS_FAILED, i + 1);
            }
            neighbours.assertUnaffected();
            assertThat(relay.stats().get(Counter.TLS_FAILURES)).isEqualTo(wrong.length);
            assertThat(relay.stats().get(Counter.TLS_HANDSHAKES)).isZero();
            relay.awaitSubscribers(1);
            // The right one comes in.
            try (SSLSocket good = TlsBridge.connect(
                    certificates.client(certificates.signed("CN=audit", b -> b)),
                    relay.relay().tlsSubscribeAddress(),
                    0)) {
                relay.awaitSubscribers(2);
                assertThat(good.getSession().getProtocol()).isEqualTo("TLSv1.3");
            }
        }
    }

    /** With TLS 1.3 a client learns behind its own handshake that the relay does not take its certificate. */
    private static void assertRefused(SSLContext client, InetSocketAddress to) {
        assertThatThrownBy(() -> {
                    try (SSLSocket socket = TlsBridge.connect(client, to, 0)) {
                        socket.setSoTimeout(Await.LIMIT_MILLIS);
                        int read = socket.getInputStream().read();
                        throw new AssertionError("a client with a wrong certificate has read " + read);
                    }
                })
                .isInstanceOf(SSLException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void aCertificateIsOptional(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.mutual(true), provider)) {
            try (SSLSocket none = TlsBridge.connect(
                            certificates.client(), relay.relay().tlsSubscribeAddress(), 0);
                    SSLSocket one = TlsBridge.connect(
                            certificates.client(certificates.signed("CN=audit", b -> b)),
                            relay.relay().tlsSubscribeAddress(),
                            0)) {
                relay.awaitSubscribers(2);
                assertThat(none.isConnected() && one.isConnected()).isTrue();
            }
            assertRefused(
                    certificates.client(certificates.foreign("CN=foreign")),
                    relay.relay().tlsSubscribeAddress());
            relay.awaitClosed(CloseReason.TLS_FAILED, 1);
        }
    }

    /** The relay's own certificate is for another name: the client goes, and that is counted. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void aRelayOfAnotherName(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(
                        certificates.relayFiles(certificates.signed("CN=x", b -> b.addSanDnsName("other.example"))),
                        provider);
                Neighbours neighbours = new Neighbours(relay)) {
            assertThatThrownBy(() -> TlsBridge.connect(
                            certificates.client(), relay.relay().tlsPublishAddress(), 0))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("127.0.0.1");
            relay.awaitClosed(CloseReason.TLS_FAILED, 1);
            neighbours.assertUnaffected();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void olderVersionsOfTls(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(), provider);
                Neighbours neighbours = new Neighbours(relay)) {
            SSLContext client = certificates.client();
            try (SSLSocket socket = (SSLSocket) client.getSocketFactory()
                    .createSocket("127.0.0.1", relay.relay().tlsPublishAddress().getPort())) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                assertThatThrownBy(socket::startHandshake)
                        .isInstanceOf(SSLException.class)
                        .hasMessageContaining("protocol_version");
            }
            relay.awaitClosed(CloseReason.TLS_FAILED, 1);
            // A ClientHello of TLS 1.1, as no library makes it any more.
            try (Socket socket =
                    new Socket("127.0.0.1", relay.relay().tlsPublishAddress().getPort())) {
                socket.getOutputStream().write(helloOfTls11());
                byte[] alert = socket.getInputStream().readAllBytes();
                assertThat(alert).startsWith(21, 3).endsWith(2, 70);
            }
            relay.awaitClosed(CloseReason.TLS_FAILED, 2);
            neighbours.assertUnaffected();
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
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(), TlsProvider.AUTO, Duration.ofSeconds(2));
                Neighbours neighbours = new Neighbours(relay)) {
            InetSocketAddress publish = relay.relay().tlsPublishAddress();
            InetSocketAddress subscribe = relay.relay().tlsSubscribeAddress();
            ByteBuffer[] first = {
                ByteBuffer.wrap(Hello.plain().bytes()),
                new Frames().frame(7, 100).buffer(),
                ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes()),
            };
            for (ByteBuffer bytes : first) {
                try (PlainPublisher publisher = PlainPublisher.connect(publish)) {
                    PlainPublisher.Error error = publisher.send(bytes).awaitError();
                    assertThat(error.code()).isEqualTo(CloseReason.TLS_FAILED.code());
                    assertThat(error.text()).contains("this port is for TLS");
                }
            }
            try (PlainPublisher subscriber = PlainPublisher.connect(subscribe)) {
                ByteBuffer hello = HelloFrame.subscriber().build().encode();
                assertThat(subscriber.send(hello).awaitError().text()).contains("this port is for TLS");
            }
            // One that waits for messages is told once the time is up.
            try (PlainPublisher subscriber = PlainPublisher.connect(subscribe)) {
                assertThat(subscriber.awaitError().text()).contains("no TLS handshake within 2000 ms");
            }
            assertThat(relay.closed(CloseReason.TLS_FAILED)).isEqualTo(5);
            assertThat(relay.stats().get(Counter.PLAIN_ON_TLS_PORT)).isEqualTo(4);
            neighbours.assertUnaffected();
        }
    }

    @Test
    void clientsWithTlsOnThePlainPorts() throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(), TlsProvider.AUTO);
                Neighbours neighbours = new Neighbours(relay)) {
            InetSocketAddress[] ports = {
                relay.relay().publishAddress(), relay.relay().subscribeAddress()
            };
            for (int i = 0; i < 10; i++) {
                InetSocketAddress port = ports[i % 2];
                assertThatThrownBy(() -> TlsBridge.connect(certificates.client(), port, 0))
                        .isInstanceOf(IOException.class);
                relay.awaitClosed(CloseReason.TLS_FAILED, i + 1);
            }
            assertThat(relay.stats().get(Counter.TLS_ON_PLAIN_PORT)).isEqualTo(10);
            neighbours.assertUnaffected();
        }
    }

    /** Types that look like TLS are types like all others. */
    @Test
    void aPlainPublisherWhoseTypesLookLikeTls() throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(), TlsProvider.AUTO);
                PlainPublisher publisher = relay.publisher()) {
            byte[] frame = new Frames().frame(0x16030102, 100_000).bytes();
            publisher.send(ByteBuffer.wrap(frame, 0, 60_000)).send(ByteBuffer.wrap(frame, 60_000, 40_008));
            relay.awaitMessagesIn(1);
        }
    }

    /** Whoever sends nothing, or a byte now and then, or rubbish in a record. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void brokenHandshakes(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(), provider, Duration.ofMillis(300));
                Neighbours neighbours = new Neighbours(relay)) {
            int port = relay.relay().tlsPublishAddress().getPort();
            byte[][] bytes = {
                {22, 3, 1, 0, 4, 1, 0, 0, 0},
                {22, 3, 3, (byte) 255, (byte) 255, 1},
                {22, 3, 1, 0, 5, 99, 0, 0, 1, 0},
                {22, 3, 1},
            };
            int count = 0;
            for (byte[] some : bytes) {
                try (Socket socket = new Socket("127.0.0.1", port)) {
                    socket.getOutputStream().write(some);
                    InputStream in = socket.getInputStream();
                    assertThat(in.readAllBytes().length).isLessThan(100);
                }
                relay.awaitClosed(CloseReason.TLS_FAILED, ++count);
            }
            neighbours.assertUnaffected();
        }
    }

    /** A record that was changed on the way ends its connection, and the relay goes on. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void aChangedRecord(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(), provider);
                Socket tcp = new Socket(
                        "127.0.0.1", relay.relay().tlsPublishAddress().getPort());
                SSLSocket tls = (SSLSocket)
                        certificates.client().getSocketFactory().createSocket(tcp, "127.0.0.1", tcp.getPort(), false)) {
            tls.startHandshake();
            tls.getOutputStream().write(new Frames().frame(7, 10).bytes());
            relay.awaitMessagesIn(1);
            byte[] record = new byte[105];
            record[0] = 23;
            record[1] = 3;
            record[2] = 3;
            record[4] = 100;
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
        try (Certificates certificates = new Certificates()) {
            TlsFiles files = certificates.relayFiles();
            try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.tls(files)
                            .tlsPublishPort(0)
                            .tlsSubscribePort(0)
                            .tlsBytes(1 << 20));
                    Neighbours neighbours = new Neighbours(relay)) {
                int most = relay.relay().config().tls().mostConnections();
                SSLSocket[] sockets = new SSLSocket[most];
                for (int i = 0; i < most; i++) {
                    sockets[i] = TlsBridge.connect(
                            certificates.client(), relay.relay().tlsSubscribeAddress(), 0);
                }
                try (PlainPublisher one = PlainPublisher.connect(relay.relay().tlsSubscribeAddress())) {
                    PlainPublisher.Error error = one.awaitError();
                    assertThat(error.code()).isEqualTo(CloseReason.MEMORY_LIMIT.code());
                    assertThat(error.text()).contains("1048576");
                }
                neighbours.assertUnaffected();
                for (SSLSocket socket : sockets) {
                    socket.close();
                }
                Await.until("one more may come", () -> canConnect(certificates, relay));
            }
        }
    }

    private static boolean canConnect(Certificates certificates, TestRelay relay) {
        try (SSLSocket socket =
                TlsBridge.connect(certificates.client(), relay.relay().tlsSubscribeAddress(), 0)) {
            return socket.isConnected();
        } catch (Exception refused) {
            return false;
        }
    }
}
