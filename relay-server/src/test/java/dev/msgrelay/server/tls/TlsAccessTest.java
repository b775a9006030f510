package dev.msgrelay.server.tls;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import javax.net.ssl.SSLContext;

/** Who a client is, its certificate says: no token, and not more than its subject may. */
class TlsAccessTest {
    private static SecuredRelay start(boolean optional, TlsProvider provider) throws Exception {
        return SecuredRelay.start(
                Setting.NIO_TCP,
                provider,
                certificates -> certificates.mutual(optional),
                b -> b.set(ACCESS, Policies.of("orders { certificate = \"CN=orders,O=Example\", publish = 1-9 }")));
    }

    private static SSLContext client(Certificates certificates, String subject) throws Exception {
        return certificates.client(certificates.signed(subject, b -> b));
    }

    private static void assertError(Control error, CloseReason reason) {
        assertThat(CloseReason.ofCode(error.code())).as(error.text()).isSameAs(reason);
    }

    @EachLibrary
    void itsSubjectIsWhoItIs(TlsProvider provider) throws Exception {
        ByteBuffer hello = HelloFrame.publisher().build().encode();
        try (SecuredRelay tls = start(true, provider)) {
            TestRelay relay = tls.relay;
            SSLContext orders = client(tls.certificates, "CN=orders,O=Example");
            SocketAddress own = tls.bridge(tls.publish(), orders);
            try (TalkingPublisher publisher = TalkingPublisher.connect(own).send(hello.duplicate())) {
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
            try (PlainPublisher plain = PlainPublisher.connect(own)) {
                plain.send(new Frames().frame(1, 10));
                relay.awaitMessagesIn(2);
            }
            SocketAddress other = tls.bridge(tls.publish(), client(tls.certificates, "CN=orders"));
            for (SocketAddress stranger : List.of(other, tls.in())) {
                try (TalkingPublisher publisher =
                        TalkingPublisher.connect(stranger).send(hello.duplicate())) {
                    assertError(publisher.awaitError(), CloseReason.NOT_AUTHENTICATED);
                }
            }
            try (TalkingPublisher subscriber = TalkingPublisher.connect(tls.bridge(tls.subscribe(), orders))
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

    @EachLibrary
    void whatIsTakenBackIsTold(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = start(false, provider);
                TalkingPublisher publisher = TalkingPublisher.connect(
                                tls.bridge(tls.publish(), client(tls.certificates, "CN=orders,O=Example")))
                        .send(HelloFrame.publisher().build().encode())) {
            publisher.await(Hello.WELCOME);
            tls.relay
                    .relay()
                    .reload(RelayConfig.builder()
                            .set(TLS_FILES, tls.files)
                            .set(ACCESS, Policies.of(""))
                            .build());
            assertError(publisher.awaitError(), CloseReason.REVOKED);
            tls.relay.awaitClosed(CloseReason.REVOKED, 1);
        }
    }
}
