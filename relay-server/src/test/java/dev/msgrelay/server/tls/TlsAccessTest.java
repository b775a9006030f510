package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who a client is, its certificate says: no token, and not more than its subject may. */
class TlsAccessTest {
    private static Identity orders(String types) {
        return new Identity(
                "orders",
                List.of(),
                List.of(new X500Principal("CN=orders,O=Example")),
                List.of(),
                List.of(),
                TypeRanges.parse(types),
                null,
                Identity.UNLIMITED,
                Identity.UNLIMITED,
                Identity.UNLIMITED,
                Identity.UNLIMITED);
    }

    private static TestRelay start(TlsFiles files, TlsProvider provider) throws IOException {
        return TestRelay.start(Setting.NIO_TCP, b -> b.tls(files)
                .tlsPublishPort(0)
                .tlsSubscribePort(0)
                .tlsProvider(provider)
                .access(new AccessPolicy(List.of(orders("1-9")))));
    }

    private static SSLContext client(Certificates certificates, String subject) throws Exception {
        return certificates.client(certificates.signed(subject, b -> b));
    }

    private static void assertError(Control error, CloseReason reason) {
        assertThat(CloseReason.ofCode(error.code())).as(error.text()).isSameAs(reason);
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void itsSubjectIsWhoItIs(TlsProvider provider) throws Exception {
        ByteBuffer hello = HelloFrame.publisher().build().encode();
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.mutual(true), provider);
                TlsBridge own =
                        new TlsBridge(relay.relay().tlsPublishAddress(), client(certificates, "CN=orders,O=Example"));
                TlsBridge other = new TlsBridge(relay.relay().tlsPublishAddress(), client(certificates, "CN=orders"));
                TlsBridge none = new TlsBridge(relay.relay().tlsPublishAddress(), certificates.client());
                TlsBridge reads = new TlsBridge(
                        relay.relay().tlsSubscribeAddress(), client(certificates, "CN=orders,O=Example"))) {
            try (TalkingPublisher publisher =
                    TalkingPublisher.connect(own.address()).send(hello.duplicate())) {
                publisher.await(Hello.WELCOME);
                publisher.send(new Frames().frame(9, 10));
                relay.awaitMessagesIn(1);
                assertThat(relay.relay().connections())
                        .extracting(ConnectionRow::identity)
                        .containsExactly("orders");
                publisher.send(new Frames().frame(10, 10));
                assertError(publisher.awaitError(), CloseReason.NOT_PERMITTED);
            }
            // Without HELLO, too: the certificate has said it.
            try (PlainPublisher plain = PlainPublisher.connect(own.address())) {
                plain.send(new Frames().frame(1, 10));
                relay.awaitMessagesIn(2);
            }
            for (TlsBridge stranger : List.of(other, none)) {
                try (TalkingPublisher publisher =
                        TalkingPublisher.connect(stranger.address()).send(hello.duplicate())) {
                    assertError(publisher.awaitError(), CloseReason.NOT_AUTHENTICATED);
                }
            }
            try (TalkingPublisher subscriber = TalkingPublisher.connect(reads.address())
                    .send(HelloFrame.subscriber().build().encode())) {
                assertError(subscriber.awaitError(), CloseReason.NOT_PERMITTED);
            }
            // Nor is anybody known by a certificate who comes without TLS.
            try (TalkingPublisher clear =
                    TalkingPublisher.connect(relay.publish()).send(hello.duplicate())) {
                assertError(clear.awaitError(), CloseReason.NOT_AUTHENTICATED);
            }
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(2);
        }
    }

    /** Sends what was written only when it is told to. */
    private static final class Held extends Socket {
        private final ByteArrayOutputStream held = new ByteArrayOutputStream();
        private boolean holds;

        Held(SocketAddress address) throws IOException {
            connect(address);
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            OutputStream socket = super.getOutputStream();
            return new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    write(new byte[] {(byte) b}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    if (holds) {
                        held.write(bytes, offset, length);
                    } else {
                        socket.write(bytes, offset, length);
                    }
                }
            };
        }

        @Override
        public void shutdownOutput() {}

        void hold() {
            holds = true;
        }

        void sendAll() throws IOException {
            super.getOutputStream().write(held.toByteArray());
        }
    }

    /** HELLO, a message and the end of TLS come in one segment: the relay objects to the message, and says so. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void whoEndsBehindAMessageThatIsNotPermittedIsTold(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.mutual(true), provider);
                Held socket = new Held(relay.relay().tlsPublishAddress())) {
            SSLSocket client = (SSLSocket) client(certificates, "CN=orders,O=Example")
                    .getSocketFactory()
                    .createSocket(socket, "localhost", socket.getPort(), true);
            client.startHandshake();
            socket.hold();
            client.getOutputStream()
                    .write(HelloFrame.publisher().build().encode().array());
            client.getOutputStream().write(new Frames().frame(10, 10).bytes());
            client.shutdownOutput();
            socket.sendAll();
            client.setSoTimeout(Await.LIMIT_MILLIS);
            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("type 10 may not be published");
            assertThat(relay.relay().stats().get(Counter.MESSAGES_IN)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void whatIsTakenBackIsTold(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles files = certificates.mutual(false);
            try (TestRelay relay = start(files, provider);
                    TlsBridge own = new TlsBridge(
                            relay.relay().tlsPublishAddress(), client(certificates, "CN=orders,O=Example"));
                    TalkingPublisher publisher = TalkingPublisher.connect(own.address())
                            .send(HelloFrame.publisher().build().encode())) {
                publisher.await(Hello.WELCOME);
                relay.relay()
                        .reload(RelayConfig.builder()
                                .tls(files)
                                .access(new AccessPolicy(List.of()))
                                .build());
                assertError(publisher.awaitError(), CloseReason.REVOKED);
                relay.awaitClosed(CloseReason.REVOKED, 1);
            }
        }
    }
}
