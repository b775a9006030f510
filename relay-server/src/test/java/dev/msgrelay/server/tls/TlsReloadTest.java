package dev.msgrelay.server.tls;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.testing.ThisMachine;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** Certificates are replaced while connections are there, all of it or nothing; and keys wear out. */
class TlsReloadTest {
    private static final int RELOADS = (int) ThisMachine.setting("tls.reloads", 10);

    private static SecuredRelay start(TlsProvider provider) throws Exception {
        return SecuredRelay.start(provider, certificates -> certificates.relayFiles(certificates.relay("CN=old")));
    }

    private static TlsFiles filesOf(SecuredRelay tls, String subject) throws Exception {
        return tls.certificates.relayFiles(tls.certificates.relay(subject));
    }

    private static String shown(SecuredRelay tls) throws Exception {
        try (SSLSocket socket = tls.connect(null, tls.publish())) {
            return socket.getSession().getPeerPrincipal().getName();
        }
    }

    @EachLibrary
    void newHandshakesGetTheNewOne(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = start(provider);
                PlainPublisher publisher = PlainPublisher.connect(tls.in())) {
            TestRelay relay = tls.relay;
            publisher.send(new Frames().frame(7, 10));
            relay.awaitMessagesIn(1);
            assertThat(shown(tls)).isEqualTo("CN=old");
            tls.reload(filesOf(tls, "CN=new"));
            assertThat(shown(tls)).isEqualTo("CN=new");
            assertThat(relay.relay().tls().text()).contains("CN=new");
            assertThat(relay.stats().get(Counter.TLS_RELOADS)).isEqualTo(1);
            // Who was there still is.
            publisher.send(new Frames().frame(7, 10));
            relay.awaitMessagesIn(2);
        }
    }

    /** The clients' authority is replaced: for a while both count, and connections of before stay. */
    @EachLibrary
    void anotherAuthorityOfClients(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(provider, certificates -> certificates.mutual(false))) {
            X509Bundle next = tls.certificates.authority("CN=next authority of a test");
            X509Bundle before = tls.certificates.signed("CN=before", b -> b);
            X509Bundle after = tls.certificates.signedBy(next, "CN=after");
            String old = Files.readString(tls.files.clients());
            try (SSLSocket stays = tls.connect(before, tls.publish())) {
                assertLetIn(tls, after, false);
                reloadClients(tls, old + next.getCertificatePEM());
                assertLetIn(tls, before, true);
                assertLetIn(tls, after, true);
                reloadClients(tls, next.getCertificatePEM());
                assertLetIn(tls, before, false);
                assertLetIn(tls, after, true);
                stays.getOutputStream().write(new Frames().frame(7, 10).bytes());
                tls.relay.awaitMessagesIn(1);
            }
        }
    }

    private static void reloadClients(SecuredRelay tls, String authorities) throws Exception {
        Path file = tls.certificates.file("authorities", authorities);
        tls.reload(new TlsFiles(tls.files.certificate(), tls.files.key(), file, false));
    }

    /** With TLS 1.3 a client learns behind its own handshake whether the relay takes its certificate. */
    private static void assertLetIn(SecuredRelay tls, X509Bundle client, boolean expected) throws Exception {
        tls.relay.awaitSubscribers(0);
        try (SSLSocket socket = tls.connect(client, tls.subscribe())) {
            socket.setSoTimeout(Await.LIMIT_MILLIS);
            if (expected) {
                tls.relay.awaitSubscribers(1);
            } else {
                assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SSLException.class);
            }
        }
    }

    /** SIGHUP may come while the relay ends. */
    @EachLibrary
    void afterTheEndItIsHarmless(TlsProvider provider) throws Exception {
        try (SecuredRelay tls = start(provider)) {
            tls.relay.relay().close();
            String before = tls.relay.relay().tls().text();
            tls.reload(filesOf(tls, "CN=new"));
            assertThat(tls.relay.relay().tls().text()).isEqualTo(before);
        }
    }

    @Test
    void whatIsWrongChangesNothing() throws Exception {
        try (SecuredRelay tls = start(TlsProvider.AUTO)) {
            Certificates certificates = tls.certificates;
            Path good = certificates.certificateFile(certificates.relay("CN=new"));
            Path other = certificates.keyFile(certificates.relay("CN=other"));
            Path cut = certificates.file("cut", "text\n-----BEGIN CERTIFICATE-----\nAAAA\n");
            Path none = Path.of("/nowhere/at/all.pem");
            assertRefused(tls, good, other, other + " has another key than that of the certificate");
            assertRefused(tls, cut, other, cut + ", line 2: CERTIFICATE has no end");
            assertRefused(tls, none, other, "there is no file " + none);
            assertThat(shown(tls)).isEqualTo("CN=old");
            assertThat(tls.relay.stats().get(Counter.TLS_RELOADS)).isZero();
        }
    }

    private static void assertRefused(SecuredRelay tls, Path certificate, Path key, String text) {
        assertThatThrownBy(() -> tls.reload(new TlsFiles(certificate, key, null, false)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(text);
    }

    /** While handshakes are made and messages flow: nothing is lost, no memory is either. */
    @EachLibrary
    void oftenUnderLoad(TlsProvider provider) throws Exception {
        Numbered messages = new Numbered(new Random(1), 10, 40, 300, 8300);
        Workers workers = new Workers();
        try (SecuredRelay tls = SecuredRelay.start(
                        Setting.NIO_TCP,
                        provider,
                        Certificates::relayFiles,
                        b -> b.set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE));
                NumberedPublisher publisher = new NumberedPublisher(tls.relay, messages);
                SpeakingSubscriber subscriber = SpeakingSubscriber.connect(tls.out(), new Account(messages))) {
            tls.relay.awaitSubscribers(1);
            subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
            publisher.publishOn(workers);
            List<TlsFiles> both = List.of(tls.files, tls.certificates.relayFiles());
            for (int i = 0; i < RELOADS; i++) {
                tls.reload(both.get(i % 2));
                if (i % 5 == 0) {
                    assertThat(shown(tls)).isEqualTo("CN=relay of a test");
                }
            }
            publisher.stop();
            workers.join();
            long end = publisher.next();
            subscriber.awaitNext(end).account().assertCompleteUpTo(end);
            assertThat(tls.relay.closed(CloseReason.TLS_FAILED)).isZero();
        }
    }

    /** BoringSSL renews no keys: in time the client is asked to come again. The JDK does, so nobody is asked. */
    @EachLibrary
    void aKeyThatIsUsedUp(TlsProvider provider) throws Exception {
        Numbered messages = new Numbered(new Random(1), 10, 40, 300);
        try (SecuredRelay tls = SecuredRelay.start(
                        Setting.NIO_TCP, provider, Certificates::relayFiles, b -> b.set(TLS_RECORDS, 50L));
                NumberedPublisher publisher = new NumberedPublisher(tls.relay, messages);
                SpeakingSubscriber subscriber = SpeakingSubscriber.connect(tls.out(), new Account(messages))) {
            TestRelay relay = tls.relay;
            relay.awaitSubscribers(1);
            subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
            // Half a second behind GOAWAY the connection ends, whatever has come by then.
            for (int i = 1; i <= 100 && subscriber.account().said(Hello.GOAWAY).isEmpty(); i++) {
                long next = i + 1;
                publisher.publish(1);
                Await.until(
                        subscriber::toString, () -> subscriber.account().next() >= next || subscriber.end() != null);
            }
            if (provider == TlsProvider.JDK) {
                subscriber.awaitNext(101).ping(1).awaitSaid(Hello.PONG, 1);
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
            for (TlsFiles files : List.of(
                    new TlsFiles(empty, good.key(), null, false),
                    new TlsFiles(good.certificate(), good.key(), empty, false))) {
                assertThatThrownBy(() -> SecuredRelay.start(TlsProvider.AUTO, own -> files))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(empty + " has no certificate");
            }
            assertThat(Files.exists(empty)).isTrue();
        }
    }
}
