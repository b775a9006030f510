package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Certificates are replaced while connections are there, all of it or nothing; and keys wear out. */
class TlsReloadTest {
    private static final int RELOADS = Integer.getInteger("tls.reloads", 10);

    private static TestRelay start(TlsFiles files, TlsProvider provider) throws IOException {
        return TestRelay.start(
                Setting.NIO_TCP,
                b -> b.tls(files).tlsPublishPort(0).tlsSubscribePort(0).tlsProvider(provider));
    }

    private static void reload(TestRelay relay, TlsFiles files) throws IOException {
        relay.relay().reload(RelayConfig.builder().tls(files).build());
    }

    private static String shown(Certificates certificates, TestRelay relay) throws Exception {
        try (SSLSocket socket =
                TlsBridge.connect(certificates.client(), relay.relay().tlsPublishAddress(), 0)) {
            X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return shown.getSubjectX500Principal().getName();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void newHandshakesGetTheNewOne(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(certificates.relay("CN=old")), provider);
                TlsBridge in = new TlsBridge(relay.relay().tlsPublishAddress(), certificates.client());
                PlainPublisher publisher = PlainPublisher.connect(in.address())) {
            publisher.send(new Frames().frame(7, 10));
            relay.awaitMessagesIn(1);
            assertThat(shown(certificates, relay)).isEqualTo("CN=old");
            reload(relay, certificates.relayFiles(certificates.relay("CN=new")));
            assertThat(shown(certificates, relay)).isEqualTo("CN=new");
            assertThat(relay.relay().tls().text()).contains("CN=new");
            assertThat(relay.stats().get(Counter.TLS_RELOADS)).isEqualTo(1);
            // Who was there still is.
            publisher.send(new Frames().frame(7, 10));
            relay.awaitMessagesIn(2);
        }
    }

    /** SIGHUP may come while the relay ends. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void afterTheEndItIsHarmless(TlsProvider provider) throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(), provider)) {
            relay.relay().close();
            String before = relay.relay().tls().text();
            reload(relay, certificates.relayFiles(certificates.relay("CN=new")));
            assertThat(relay.relay().tls().text()).isEqualTo(before);
        }
    }

    @Test
    void whatIsWrongChangesNothing() throws Exception {
        try (Certificates certificates = new Certificates();
                TestRelay relay = start(certificates.relayFiles(certificates.relay("CN=old")), TlsProvider.AUTO)) {
            Path good = certificates.certificateFile(certificates.relay("CN=new"));
            Path other = certificates.keyFile(certificates.relay("CN=other"));
            Path ec = certificates.file("ec", "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");
            Path cut = certificates.file("cut", "text\n-----BEGIN CERTIFICATE-----\nAAAA\n");
            Path rubbish = certificates.file("rubbish", "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----");
            Path none = Path.of("/nowhere/at/all.pem");
            assertRefused(relay, good, other, other + " has another key than that of the certificate");
            assertRefused(relay, good, ec, ec + ", line 1: 'EC PRIVATE KEY' is not PKCS#8");
            assertRefused(relay, good, good, good + " has no private key");
            assertRefused(relay, cut, other, cut + ", line 2: CERTIFICATE has no end");
            assertRefused(relay, rubbish, other, rubbish + ", line 1: the block that begins here is not Base64");
            assertRefused(relay, none, other, "there is no file " + none);
            assertRefused(relay, other, other, other + " has no certificate");
            assertThat(shown(certificates, relay)).isEqualTo("CN=old");
            assertThat(relay.stats().get(Counter.TLS_RELOADS)).isZero();
        }
    }

    private static void assertRefused(TestRelay relay, Path certificate, Path key, String text) {
        assertThatThrownBy(() -> reload(relay, new TlsFiles(certificate, key, null, false)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(text);
    }

    /** While handshakes are made and messages flow: nothing is lost, no memory is either. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void oftenUnderLoad(TlsProvider provider) throws Exception {
        Numbered messages = new Numbered(new Random(1), 10, 40, 300, 8300);
        Workers workers = new Workers();
        try (Certificates certificates = new Certificates();
                TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.slowSubscriber(Policy.BACKPRESSURE)
                        .tls(relayFiles(certificates))
                        .tlsPublishPort(0)
                        .tlsSubscribePort(0)
                        .tlsProvider(provider));
                TlsBridge out = new TlsBridge(relay.relay().tlsSubscribeAddress(), certificates.client());
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber subscriber = SpeakingSubscriber.connect(out.address(), new Account(messages))) {
            relay.awaitSubscribers(1);
            subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
            publisher.publishOn(workers);
            List<TlsFiles> both = List.of(relayFiles(certificates), relayFiles(certificates));
            for (int i = 0; i < RELOADS; i++) {
                reload(relay, both.get(i % 2));
                if (i % 5 == 0) {
                    assertThat(shown(certificates, relay)).isEqualTo("CN=relay of a test");
                }
            }
            publisher.stop();
            workers.join();
            long end = publisher.next();
            subscriber.awaitNext(end).account().assertCompleteUpTo(end);
            assertThat(relay.closed(CloseReason.TLS_FAILED)).isZero();
        }
    }

    private static TlsFiles relayFiles(Certificates certificates) {
        try {
            return certificates.relayFiles();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** BoringSSL renews no keys: in time the client is asked to come again. The JDK does, so nobody is asked. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void aKeyThatIsUsedUp(TlsProvider provider) throws Exception {
        Numbered messages = new Numbered(new Random(1), 10, 40, 300);
        try (Certificates certificates = new Certificates();
                TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.tls(relayFiles(certificates))
                        .tlsPublishPort(0)
                        .tlsSubscribePort(0)
                        .tlsRecords(50)
                        .tlsProvider(provider));
                TlsBridge out = new TlsBridge(relay.relay().tlsSubscribeAddress(), certificates.client());
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber subscriber = SpeakingSubscriber.connect(out.address(), new Account(messages))) {
            relay.awaitSubscribers(1);
            subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
            for (int i = 1; i <= 100; i++) {
                publisher.publish(1);
                subscriber.awaitNext(i + 1);
            }
            if (provider == TlsProvider.JDK) {
                subscriber.ping(1).awaitSaid(Hello.PONG, 1);
                assertThat(relay.stats().closes()).isEmpty();
                return;
            }
            subscriber.awaitSaid(Hello.GOAWAY, 1);
            assertThat(subscriber.awaitError().code()).isEqualTo(CloseReason.TLS_KEY_USED_UP.code());
            relay.awaitClosed(CloseReason.TLS_KEY_USED_UP, 1);
        }
    }

    @Test
    void aKeyThatEveryUserCanReadIsWarnedOf() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles files = certificates.relayFiles();
            Path key = files.key();
            Files.setPosixFilePermissions(key.getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
            assertThat(TlsContext.check(files, TlsProvider.AUTO))
                    .contains(key + " is a secret that every user of this host can read: chmod o= " + key);
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
            assertThat(TlsContext.check(files, TlsProvider.AUTO)).noneMatch(l -> l.contains("secret"));
        }
    }

    @Test
    void filesThatCannotBeUsedAtTheStart() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles good = certificates.relayFiles();
            Path empty = certificates.file("empty", "");
            assertThatThrownBy(() -> start(new TlsFiles(empty, good.key(), null, false), TlsProvider.AUTO))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(empty + " has no certificate");
            assertThatThrownBy(
                            () -> start(new TlsFiles(good.certificate(), good.key(), empty, false), TlsProvider.AUTO))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(empty + " has no certificate");
            assertThat(Files.exists(empty)).isTrue();
        }
    }
}
