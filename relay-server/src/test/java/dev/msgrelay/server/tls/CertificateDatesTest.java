package dev.msgrelay.server.tls;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Certificates;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Dates of all certificates that a relay uses: its own, those behind it, and the authorities of its clients. */
class CertificateDatesTest {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    private static Instant days(int days) {
        return NOW.plus(Duration.ofDays(days));
    }

    /** What the relay is given: a leaf behind an intermediate authority, and authorities of clients. */
    private static TlsFiles files(Certificates files, int[] intermediate, int[] authority) throws Exception {
        X509Bundle root = builder("CN=root", -100, 1000, true).buildSelfSigned();
        X509Bundle between =
                builder("CN=between", intermediate[0], intermediate[1], true).buildIssuedBy(root);
        X509Bundle own = builder("CN=relay", GOOD[0], GOOD[1], false).buildIssuedBy(between);
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
        try (SecuredRelay tls =
                SecuredRelay.start(TlsProvider.AUTO, certificates -> files(certificates, new int[] {-90, -1}, GOOD))) {
            assertWarns(tls, "certificate 2 of 2 in " + tls.files.certificate() + " has expired: " + days(-1));
            assertThat(validDays(tls)).isBetween(-2.0, -1 + 1 / 86_400.0);
            tls.reload(files(tls.certificates, GOOD, GOOD));
            assertWarns(tls);
            assertThat(validDays(tls)).isBetween(89.0, 90.0);
            TlsFiles oldClients = files(tls.certificates, GOOD, new int[] {-90, -2});
            tls.reload(oldClients);
            assertWarns(tls, "certificate 2 of 2 in " + oldClients.clients() + " has expired: " + days(-2));
        }
    }

    private static double validDays(SecuredRelay tls) {
        return tls.relay.relay().tls().validSeconds() / 86_400;
    }

    private static void assertWarns(SecuredRelay tls, String... lines) {
        assertThat(tls.relay.relay().tls().warnings()).containsExactly(lines);
    }

    @Test
    void theyAreLookedAtOnceADay() throws Exception {
        try (Certificates certificates = new Certificates();
                TlsContext context = new TlsContext(certificates.relayFiles(), TlsProvider.JDK, 1000, 1000)) {
            Delayed daily = (Delayed)
                    ((ScheduledThreadPoolExecutor) context.thread).getQueue().element();
            assertThat(daily.getDelay(TimeUnit.HOURS)).isBetween(20L, 24L);
        }
    }

    @Test
    void theCheckOfAConfigurationSaysIt() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles files = files(certificates, new int[] {-90, -1}, GOOD);
            assertThat(RelayServer.check(
                            RelayConfig.builder().set(TLS_FILES, files).build()))
                    .containsExactly("certificate 2 of 2 in " + files.certificate() + " has expired: " + days(-1));
        }
    }
}
