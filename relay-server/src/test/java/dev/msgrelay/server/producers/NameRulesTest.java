package dev.msgrelay.server.producers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.producers.NameRules.Verdict;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The rules of a name, each at both sides of its limit. */
class NameRulesTest {
    private static final ProducerId ANN = new ProducerId(1, 1);
    private static final ProducerId BOB = new ProducerId(2, 2);
    private static final long HOLD = 500;
    private static final long KEEP = NameRules.KEEP.toMillis();

    private final NameRules rules = new NameRules(TimeUnit.MILLISECONDS, HOLD);

    @Test
    void theProducerGoesOnWhetherConnectedOrLongAway() {
        assertThat(rules.decide(ANN, "", NameRules.CONNECTED, ANN, "")).isEqualTo(Verdict.GOES_ON);
        assertThat(rules.decide(ANN, "", 10 * KEEP, ANN, "")).isEqualTo(Verdict.GOES_ON);
    }

    @Test
    void anotherProducerGetsTheNameAfterTheHoldTime() {
        assertThat(rules.decide(ANN, "", NameRules.CONNECTED, BOB, "")).isEqualTo(Verdict.OTHER_PRODUCER);
        assertThat(rules.decide(ANN, "", HOLD - 1, BOB, "")).isEqualTo(Verdict.OTHER_PRODUCER);
        assertThat(rules.decide(ANN, "", HOLD, BOB, "")).isEqualTo(Verdict.STARTS_ANEW);
        NameRules noHold = new NameRules(TimeUnit.NANOSECONDS, 0);
        assertThat(noHold.decide(ANN, "", NameRules.CONNECTED, BOB, "")).isEqualTo(Verdict.OTHER_PRODUCER);
        assertThat(noHold.decide(ANN, "", 0, BOB, "")).isEqualTo(Verdict.STARTS_ANEW);
    }

    @Test
    void anotherIdentityGetsTheNameAfterAnHourAlsoWithTheSameProducer() {
        assertThat(rules.decide(ANN, "a", NameRules.CONNECTED, ANN, "b")).isEqualTo(Verdict.OTHER_IDENTITY);
        assertThat(rules.decide(ANN, "a", KEEP - 1, ANN, "b")).isEqualTo(Verdict.OTHER_IDENTITY);
        assertThat(rules.decide(ANN, "a", KEEP, ANN, "b")).isEqualTo(Verdict.BEGINS);
        assertThat(rules.mayBeForgotten(KEEP - 1)).isFalse();
        assertThat(rules.mayBeForgotten(KEEP)).isTrue();
        assertThat(rules.mayBeForgotten(NameRules.CONNECTED)).isFalse();
    }

    @Test
    void aNameOrAHelloWithoutAnIdentityIsOfAny() {
        assertThat(rules.decide(ANN, "", 0, ANN, "b")).isEqualTo(Verdict.GOES_ON);
        assertThat(rules.decide(ANN, "a", 0, ANN, "")).isEqualTo(Verdict.GOES_ON);
        assertThat(rules.decide(ANN, "a", HOLD, BOB, "a")).isEqualTo(Verdict.STARTS_ANEW);
    }

    @Test
    void aRefusalSaysWhoseTheNameIsAndForHowLong() {
        assertThat(rules.refusal(Verdict.OTHER_IDENTITY, "x", 1, ""))
                .isEqualTo("HELLO: the name x belongs to another identity");
        assertThat(rules.refusal(Verdict.OTHER_PRODUCER, "x", NameRules.CONNECTED, " at node 2"))
                .isEqualTo("HELLO: the name x belongs to another producer, which has a connection at node 2");
        assertThat(rules.refusal(Verdict.OTHER_PRODUCER, "x", HOLD - 1, ""))
                .isEqualTo("HELLO: the name x belongs to another producer, which has left and may come back: "
                        + "it is held for 1 ms more of " + HOLD + " ms");
    }
}
