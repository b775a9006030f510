package dev.msgrelay.loadgen.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RegimeChoiceTest {
    private static final RunRecord NEAR = Runs.run(45, 50, 100);
    private static final RunRecord FAR = Runs.run(230, 220, 20);
    private static final RunRecord CHANGED = Runs.run(45, 230, 50);
    private static final RunRecord DISTURBED = Runs.run(45, 90_000, 10);
    private static final RunRecord FAILED = Runs.run(45, 45, 10, List.of("subscriber 0: 3 messages lost"));

    @Test
    void theRegimeWithMostRunsCounts() {
        RegimeChoice choice = RegimeChoice.of(List.of(NEAR, FAR, NEAR, CHANGED));
        assertThat(choice.regime()).isEqualTo(Regime.NEAR);
        assertThat(choice.leftOut()).isEqualTo("1 with cores far, 1 during which the cores moved");
        assertThat(RegimeChoice.of(List.of(NEAR, FAR, FAR)).regime()).isEqualTo(Regime.FAR);
    }

    @Test
    void runsDuringWhichTheMachineChangedNeverCountHoweverManyThereAre() {
        RegimeChoice choice = RegimeChoice.of(List.of(CHANGED, DISTURBED, CHANGED, DISTURBED, CHANGED, FAR));
        assertThat(choice.regime()).isEqualTo(Regime.FAR);
        assertThat(choice.leftOut()).isEqualTo("3 during which the cores moved, 2 beside other work");
    }

    @Test
    void failedRunsNeitherVoteNorCount() {
        RegimeChoice choice = RegimeChoice.of(List.of(FAILED, FAILED, FAR));
        assertThat(choice.regime()).isEqualTo(Regime.FAR);
        assertThat(choice.leftOut()).isEqualTo("2 failed or partial");
    }

    @Test
    void runsThatAnythingMarkedNeitherVoteNorCount() {
        RunRecord late = Runs.marked(NEAR, "schedule not kept: of 9 msg/s 5 left the publishers");
        RegimeChoice choice = RegimeChoice.of(List.of(late, late, FAR));
        assertThat(choice.regime()).isEqualTo(Regime.FAR);
        assertThat(choice.leftOut()).isEqualTo("2 marked");
        assertThat(RegimeChoice.of(List.of(late)).hasAny()).isFalse();
    }

    @Test
    void withoutASteadyRunNothingCounts() {
        RegimeChoice choice = RegimeChoice.of(List.of(DISTURBED, CHANGED));
        assertThat(choice.hasAny()).isFalse();
    }

    @Test
    void onASingleCoreTheUnknownRegimeCounts() {
        RunRecord unknown = Runs.run(Double.NaN, Double.NaN, 7);
        RegimeChoice choice = RegimeChoice.of(List.of(unknown, unknown));
        assertThat(choice.hasAny()).isTrue();
        assertThat(choice.leftOut()).isEmpty();
    }
}
