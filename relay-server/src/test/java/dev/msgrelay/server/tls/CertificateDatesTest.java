package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Dates of all certificates that a relay uses: its own, those behind it, and the authorities of its clients. */
class CertificateDatesTest {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    private static Instant days(int days) {
        return NOW.plus(Duration.ofDays(days));
    }

    /** What the relay is given: a leaf behind an intermediate authority, and authorities of clients. */
    private static TlsFiles files(Certificates files, int[] leaf, int[] intermediate, int[] authority)
            throws Exception {
        X509Bundle root = builder("CN=root", -100, 1000, true).buildSelfSigned();
        X509Bundle between =
                builder("CN=between", intermediate[0], intermediate[1], true).buildIssuedBy(root);
        X509Bundle own = builder("CN=relay", leaf[0], leaf[1], false).buildIssuedBy(between);
        X509Bundle clients =
                builder("CN=clients", authority[0], authority[1], true).buildSelfSigned();
        return new TlsFiles(
                files.file("chain", own.getCertificatePEM() + between.getCertificatePEM()),
                files.keyFile(own),
                files.file("clients", root.getCertificatePEM() + clients.getCertificatePEM()),
                true);
    }

    private static CertificateBuilder builder(String subject, int from, int until, boolean authority) {
        return new CertificateBuilder()
                .ecp256()
                .subject(subject)
                .notBefore(days(from))
                .notAfter(days(until))
                .setIsCertificateAuthority(authority);
    }

    private static final int[] GOOD = {-10, 90};

    @Test
    void eachOfThemIsNamedAtStartAndReload() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles good = files(certificates, GOOD, GOOD, GOOD);
            TlsFiles oldBetween = files(certificates, GOOD, new int[] {-90, -1}, GOOD);
            TlsFiles future = files(certificates, new int[] {10, 90}, GOOD, GOOD);
            TlsFiles oldClients = files(certificates, GOOD, GOOD, new int[] {-90, -2});
            TlsFiles soon = files(certificates, GOOD, new int[] {-10, 3}, GOOD);
            try (TestRelay relay = TestRelay.start(
                    Setting.NIO_TCP, b -> b.tls(oldBetween).tlsPublishPort(0).tlsSubscribePort(0))) {
                assertWarns(
                        relay.relay(),
                        "certificate 2 of 2 in " + oldBetween.certificate() + " has expired: " + days(-1));
                assertThat(relay.relay().tls().validSeconds()).isBetween(-2 * 86_400.0, -86_400.0 + 1);
                reload(relay, good);
                assertWarns(relay.relay());
                assertThat(relay.relay().tls().validSeconds()).isBetween(89 * 86_400.0, 90 * 86_400.0);
                reload(relay, future);
                assertWarns(
                        relay.relay(),
                        "certificate 1 of 2 in " + future.certificate() + " is not yet valid: from " + days(10)
                                + " on");
                assertThat(relay.relay().tls().validSeconds()).isNegative();
                reload(relay, oldClients);
                assertWarns(
                        relay.relay(), "certificate 2 of 2 in " + oldClients.clients() + " has expired: " + days(-2));
                reload(relay, soon);
                assertWarns(relay.relay(), "certificate 2 of 2 in " + soon.certificate() + " expires soon: " + days(3));
                assertThat(relay.relay().tls().validSeconds()).isBetween(0.0, 3 * 86_400.0);
            }
        }
    }

    private static void reload(TestRelay relay, TlsFiles files) throws Exception {
        relay.relay().reload(RelayConfig.builder().tls(files).build());
    }

    private static void assertWarns(RelayServer relay, String... lines) {
        assertThat(relay.tls().warnings()).containsExactly(lines);
    }

    @Test
    void theyAreLookedAtOnceADay() throws Exception {
        try (Certificates certificates = new Certificates();
                TlsContext context = new TlsContext(certificates.relayFiles(), TlsProvider.JDK, 1000, 1000)) {
            Delayed daily = Sessions.get(context, "daily");
            assertThat(daily.getDelay(TimeUnit.HOURS)).isBetween(20L, 24L);
        }
    }

    @Test
    void aBundleOfManyOldOnesIsToldInFewLines() throws Exception {
        try (Certificates certificates = new Certificates()) {
            String old = builder("CN=old", -90, -1, true).buildSelfSigned().getCertificatePEM();
            Path bundle = certificates.file("bundle", old.repeat(30));
            TlsFiles own = certificates.relayFiles();
            try (TlsContext context = new TlsContext(
                    new TlsFiles(own.certificate(), own.key(), bundle, true), TlsProvider.JDK, 1000, 1000)) {
                // The relay's own ends tomorrow.
                List<String> lines = context.warnings();
                assertThat(lines).hasSize(7);
                assertThat(lines.get(0)).startsWith("the certificate in " + own.certificate() + " expires soon: ");
                assertThat(lines.get(6)).startsWith("25 more of the 30 certificates in " + bundle);
            }
        }
    }

    @Test
    void theCheckOfAConfigurationSaysIt() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles files = files(certificates, GOOD, new int[] {-90, -1}, GOOD);
            assertThat(RelayServer.check(RelayConfig.builder().tls(files).build()))
                    .containsExactly("certificate 2 of 2 in " + files.certificate() + " has expired: " + days(-1));
        }
    }
}
