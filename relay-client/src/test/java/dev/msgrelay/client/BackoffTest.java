package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When and where to connect next; time is passed in. */
class BackoffTest {
    private static final Endpoint ONE = Endpoint.tcp("127.0.0.1", 1);
    private static final Endpoint TWO = Endpoint.tcp("127.0.0.1", 2);
    private static final IOException REFUSED = new IOException("refused");
    private static final ReconnectPolicy SURE = ReconnectPolicy.endless()
            .withDelays(Duration.ofMillis(100), Duration.ofSeconds(1))
            .withJitter(0);

    private long now = 1_000_000;

    @Test
    void theWaitDoublesUpToTheLongest() {
        long[] expected = {100, 200, 400, 800, 1000, 1000};
        for (int round = 0; round < expected.length; round++) {
            assertThat(SURE.delayNanos(round, 0.9)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(expected[round]));
        }
        assertThat(SURE.delayNanos(Integer.MAX_VALUE, 0)).isEqualTo(TimeUnit.SECONDS.toNanos(1));
        ReconnectPolicy longest = SURE.withDelays(Duration.ofDays(1), Duration.ofDays(1));
        assertThat(longest.delayNanos(29, 0)).isEqualTo(TimeUnit.DAYS.toNanos(1));
    }

    @Test
    void aRandomShareIsLeftOut() {
        ReconnectPolicy jittered = SURE.withJitter(0.5);
        assertThat(jittered.delayNanos(0, 0)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(jittered.delayNanos(0, 0.5)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(75));
        assertThat(SURE.withJitter(1).delayNanos(0, 0.999)).isLessThan(TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Test
    void theFirstRoundComesAtOnceAndBesideThoseOfThePolicy() {
        Reconnector reconnector = reconnector(rounds(1), ONE, TWO);
        assertThat(reconnector.waitNanos()).isZero();
        assertThat(reconnector.current()).isEqualTo(ONE);
        assertNext(reconnector, REFUSED, TWO, 0);
        assertNext(reconnector, REFUSED, ONE, 100);
        assertNext(reconnector, REFUSED, TWO, 0);
        assertThat(reconnector.failed(REFUSED)).isFalse();
    }

    @Test
    void afterALossTheRoundsAreThoseOfThePolicy() {
        Reconnector reconnector = reconnector(rounds(2), ONE);
        reconnector.welcomed();
        reconnector.progressed();
        assertNext(reconnector, REFUSED, ONE, 100);
        assertNext(reconnector, REFUSED, ONE, 200);
        assertThat(reconnector.failed(REFUSED)).isFalse();
    }

    @Test
    void withoutReconnectingALossIsTheEnd() {
        Reconnector reconnector = reconnector(ReconnectPolicy.none(), ONE, TWO);
        reconnector.welcomed();
        assertThat(reconnector.failed(REFUSED)).isFalse();
    }

    @Test
    void aConnectionThatWorkedStartsTheCountAnewOneThatWasOnlyMadeDoesNot() {
        Reconnector reconnector = reconnector(rounds(3), ONE);
        reconnector.welcomed();
        assertNext(reconnector, REFUSED, ONE, 100);
        reconnector.welcomed();
        assertNext(reconnector, REFUSED, ONE, 200);
        worksForAWhile(reconnector);
        assertNext(reconnector, REFUSED, ONE, 100);
    }

    /** A relay that answers, sends one message and closes is not tried ten times a second for ever. */
    @Test
    void aConnectionThatWorkedForAMomentOnlyStartsNothingAnew() {
        Reconnector reconnector = reconnector(rounds(4), ONE);
        for (int expected : new int[] {100, 200, 400, 800}) {
            reconnector.welcomed();
            reconnector.progressed();
            assertNext(reconnector, REFUSED, ONE, expected);
        }
        reconnector.welcomed();
        reconnector.progressed();
        assertThat(reconnector.failed(REFUSED)).isFalse();
    }

    /** Nor does one that has lived, and brought something in its first moment alone. */
    @Test
    void progressIsWantedAtTheEndOfThatWhile() {
        Reconnector reconnector = reconnector(SURE, ONE);
        for (int expected : new int[] {100, 200, 400}) {
            reconnector.welcomed();
            reconnector.progressed();
            now += TimeUnit.HOURS.toNanos(1);
            assertNext(reconnector, REFUSED, ONE, expected);
        }
    }

    /** Whoever sets waits of hours still begins anew behind a connection of ten seconds. */
    @Test
    void theWhileIsTheLongestWaitAndAtMostTenSeconds() {
        ReconnectPolicy slow = SURE.withDelays(Duration.ofMillis(100), Duration.ofHours(1));
        Reconnector reconnector = reconnector(slow, ONE);
        reconnector.welcomed();
        assertNext(reconnector, REFUSED, ONE, 100);
        reconnector.welcomed();
        now += TimeUnit.SECONDS.toNanos(10);
        reconnector.progressed();
        assertNext(reconnector, REFUSED, ONE, 100);
    }

    @Test
    void aRelayThatCutsConnectionAfterConnectionIsLeftForTheNextOne() {
        Reconnector reconnector = reconnector(SURE, ONE, TWO);
        reconnector.welcomed();
        reconnector.progressed();
        assertNext(reconnector, REFUSED, ONE, 100);
        reconnector.welcomed();
        reconnector.progressed();
        assertNext(reconnector, REFUSED, TWO, 0);
    }

    @Test
    void staysWithARelayThatWorkedAndLeavesOneThatGoesAway() {
        Reconnector reconnector = reconnector(SURE, ONE, TWO);
        worksForAWhile(reconnector);
        assertNext(reconnector, REFUSED, ONE, 100);
        assertNext(reconnector, REFUSED, TWO, 0);
        worksForAWhile(reconnector);
        reconnector.leaving(new GoAwayFrame(CloseReason.SHUTDOWN, 1, ""));
        assertNext(reconnector, REFUSED, ONE, 100);
        worksForAWhile(reconnector);
        assertNext(reconnector, error(CloseReason.SHUTDOWN), TWO, 100);
    }

    @Test
    void tooManyConnectionsAreWaitedForTheLongestFromTheStart() {
        Reconnector reconnector = reconnector(SURE, ONE);
        reconnector.welcomed();
        assertNext(reconnector, error(CloseReason.TOO_MANY_CONNECTIONS), ONE, 1000);
    }

    @Test
    void aToldTimeTakesThePlaceOfTheLongestWaitOnce() {
        Reconnector reconnector = reconnector(SURE, ONE);
        IOException full = error(CloseReason.TOO_MANY_CONNECTIONS);
        reconnector.failed(REFUSED);
        reconnector.retryAfter(300);
        assertNext(reconnector, full, ONE, 300);
        reconnector.retryAfter(300);
        assertNext(reconnector, full, ONE, 400);
        reconnector.retryAfter(0);
        assertNext(reconnector, full, ONE, 800);
        assertNext(reconnector, full, ONE, 1000);
    }

    @Test
    void aToldTimeIsForItsEndpointAlone() {
        Reconnector reconnector = reconnector(SURE, ONE, TWO);
        reconnector.retryAfter(500);
        assertNext(reconnector, REFUSED, TWO, 0);
        assertNext(reconnector, REFUSED, ONE, 500);
        reconnector.retryAfter(900);
        assertNext(reconnector, REFUSED, TWO, 0);
        worksForAWhile(reconnector);
        assertNext(reconnector, REFUSED, TWO, 100);
        assertNext(reconnector, REFUSED, ONE, 0);
    }

    @Test
    void aConnectionThatTheClientGivesUpIsToldATimeToo() {
        Reconnector reconnector = reconnector(SURE, ONE);
        reconnector.welcomed();
        reconnector.retryAfter(300);
        reconnector.dropped();
        assertThat(reconnector.waitNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(300));
        reconnector.dropped();
        assertThat(reconnector.waitNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(300));
    }

    @Test
    void aRandomShareIsAddedToAToldTimeUpToTheLongestWait() {
        ReconnectPolicy jittered = SURE.withJitter(0.5);
        long millis = TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(jittered.toldDelayNanos(300 * millis, 0)).isEqualTo(300 * millis);
        assertThat(jittered.toldDelayNanos(300 * millis, 0.5)).isEqualTo(375 * millis);
        assertThat(jittered.toldDelayNanos(900 * millis, 0.9)).isEqualTo(1000 * millis);
        assertThat(jittered.toldDelayNanos(1000 * millis, 0)).isEqualTo(1000 * millis);
        assertThat(jittered.toldDelayNanos(1001 * millis, 0.5)).isEqualTo(750 * millis);
        assertThat(jittered.toldDelayNanos(TimeUnit.HOURS.toNanos(1), 0)).isEqualTo(1000 * millis);
    }

    @Test
    void whatCannotGetBetterEndsItAtOnceWhateverThePolicy() {
        IOException taken = error(CloseReason.NAME_TAKEN);
        assertThat(reconnector(SURE, ONE, TWO).failed(taken)).isFalse();
    }

    @Test
    void hopesAreCountedUntilAConnectionWorks() {
        Reconnector reconnector = reconnector(SURE, ONE);
        IOException unknown = new RelayErrorException(4711, "");
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < Backoff.FEW; i++) {
                assertThat(reconnector.failed(unknown)).isTrue();
            }
            worksForAWhile(reconnector);
        }
        for (int i = 0; i < Backoff.FEW; i++) {
            assertThat(reconnector.failed(unknown)).isTrue();
        }
        assertThat(reconnector.failed(unknown)).isFalse();
    }

    @Test
    void endlessIsEndless() {
        Reconnector reconnector = reconnector(SURE, ONE, TWO);
        for (int i = 0; i < 10_000; i++) {
            assertThat(reconnector.failed(REFUSED)).isTrue();
        }
    }

    @Test
    void settingsThatCannotWorkAreNamed() {
        assertThatThrownBy(() -> ReconnectPolicy.rounds(-1)).hasMessageContaining("rounds -1");
        assertThatThrownBy(() -> SURE.withJitter(1.5)).hasMessageContaining("jitter 1.5");
        assertThatThrownBy(() -> SURE.withJitter(Double.NaN)).hasMessageContaining("jitter NaN");
        assertThatThrownBy(() -> SURE.withDelays(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("PT1S is under firstDelay PT2S");
        assertThatThrownBy(() -> SURE.withDelays(Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("firstDelay");
    }

    private void worksForAWhile(Reconnector reconnector) {
        reconnector.welcomed();
        now += SURE.longestDelay().toNanos();
        reconnector.progressed();
    }

    private void assertNext(Reconnector reconnector, IOException end, Endpoint next, long waitMillis) {
        assertThat(reconnector.failed(end)).isTrue();
        assertThat(reconnector.current()).isEqualTo(next);
        assertThat(reconnector.waitNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(waitMillis));
        now += TimeUnit.MILLISECONDS.toNanos(waitMillis);
        assertThat(reconnector.waitNanos()).isZero();
    }

    private Reconnector reconnector(ReconnectPolicy policy, Endpoint... endpoints) {
        return new Reconnector(List.of(endpoints), policy, new SplittableRandom(1), () -> now);
    }

    private static ReconnectPolicy rounds(int rounds) {
        return new ReconnectPolicy(rounds, SURE.firstDelay(), SURE.longestDelay(), 0);
    }

    private static RelayErrorException error(CloseReason reason) {
        return new RelayErrorException(reason.code(), "");
    }
}
