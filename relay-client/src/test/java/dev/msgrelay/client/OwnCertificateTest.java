package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.net.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OwnCertificateTest {
    private static final long DAY = TimeUnit.DAYS.toMillis(1);
    private static final long END = 40_000 * DAY;
    private static final Endpoint RELAY = Endpoint.tcp("127.0.0.1", 7410);

    private final List<Long> told = new ArrayList<>();
    private final OwnCertificate certificate =
            new OwnCertificate(event -> told.add(((SessionEvent.CertificateEnds) event).days()), () -> this.now);
    private long now;

    private void lookAt(long millisBefore) {
        now = END - millisBefore;
        certificate.look(RELAY);
    }

    @Test
    void eachOfTheLastDaysIsToldOnce() {
        certificate.shows(END);
        lookAt(31 * DAY);
        lookAt(30 * DAY + 1);
        assertThat(told).isEmpty();
        lookAt(30 * DAY);
        lookAt(29 * DAY);
        lookAt(7 * DAY + 1);
        assertThat(told).containsExactly(30L);
        lookAt(7 * DAY);
        lookAt(DAY + 1);
        assertThat(told).containsExactly(30L, 7L);
        lookAt(DAY);
        lookAt(1);
        assertThat(told).containsExactly(30L, 7L, 1L);
        lookAt(0);
        lookAt(-5 * DAY);
        assertThat(told).containsExactly(30L, 7L, 1L, 0L);
    }

    @Test
    void theSmallestThatFitsIsTold() {
        certificate.shows(END);
        lookAt(DAY / 2);
        lookAt(DAY / 3);
        assertThat(told).containsExactly(1L);
        lookAt(-3 * DAY - 1);
        assertThat(told).containsExactly(1L, -3L);
    }

    @Test
    void theSameCertificateOverAnotherConnectionIsNotToldAgain() {
        certificate.shows(END);
        lookAt(20 * DAY);
        certificate.shows(END);
        lookAt(19 * DAY);
        assertThat(told).containsExactly(20L);
        // Renewed, for a month only.
        certificate.shows(END + 10 * DAY);
        lookAt(18 * DAY);
        assertThat(told).containsExactly(20L, 28L);
    }

    @Test
    void aClientWithoutACertificateIsToldNothing() {
        lookAt(-DAY);
        certificate.shows(OwnCertificate.NONE);
        lookAt(-DAY);
        assertThat(told).isEmpty();
    }

    @Test
    void theEventNamesTheEnd() {
        SessionEvent event = new SessionEvent.CertificateEnds(RELAY, 7, 1_798_675_200_000L);
        assertThat(event.text()).isEqualTo("this client's certificate ends within 7 days: 2026-12-31T00:00:00Z");
        assertThat(new SessionEvent.CertificateEnds(RELAY, 1, 0).text()).contains("within 1 day:");
        assertThat(new SessionEvent.CertificateEnds(RELAY, -2, 0).text()).contains("has ended: 1970-01-01");
        assertThat(event.isLoss()).isFalse();
    }
}
