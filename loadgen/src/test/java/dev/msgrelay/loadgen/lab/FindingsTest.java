package dev.msgrelay.loadgen.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lab.Finding.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sentences of verdict, on made-up figures. */
class FindingsTest {
    @Test
    void aRatioIsTakenRoundByRoundWithItsSpread() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", 20, 30, 24)
                .row("B", 10, 10, 10)
                .result();
        Finding finding = Findings.compare(table, Tables.SPEED, "A", "B");
        assertThat(finding.outcome()).isEqualTo(Outcome.MEASURED);
        assertThat(finding.sentence()).isEqualTo("speed: A is 2.4 times B (2.0 to 3.0 over 3 rounds)");
    }

    @Test
    void theLargerOneIsNamedFirst() {
        TableResult table =
                Tables.of(Tables.SPEED).row("A", 10, 10).row("B", 20, 40).result();
        assertThat(Findings.compare(table, Tables.SPEED, "A", "B").sentence())
                .isEqualTo("speed: B is 2.7 times A (2.0 to 4.0 over 2 rounds)");
    }

    @Test
    void spreadsThatOverlapAreNoDifference() {
        TableResult table =
                Tables.of(Tables.SPEED).row("A", 9, 12, 11).row("B", 10, 10, 10).result();
        Finding finding = Findings.better("A is faster", table, Tables.SPEED, "A", "B");
        assertThat(finding.outcome()).isEqualTo(Outcome.NO_DIFFERENCE);
        assertThat(finding.sentence())
                .isEqualTo("speed: no difference between A and B: the spreads overlap (0.90 to 1.20 times"
                        + " over 3 rounds)");
    }

    @Test
    void aMachineThatDriftsDoesNotHideADifferenceThatEveryRoundShows() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", 22, 44, 11)
                .row("B", 20, 40, 10)
                .result();
        assertThat(Findings.better("A is faster", table, Tables.SPEED, "A", "B").outcome())
                .isEqualTo(Outcome.HOLDS);
    }

    @Test
    void aClaimHoldsOrNotAsTheColumnWantsIt() {
        TableResult speed =
                Tables.of(Tables.SPEED).row("A", 20, 21).row("B", 10, 10).result();
        assertThat(Findings.better("", speed, Tables.SPEED, "A", "B").outcome()).isEqualTo(Outcome.HOLDS);
        assertThat(Findings.better("", speed, Tables.SPEED, "B", "A").outcome()).isEqualTo(Outcome.DOES_NOT_HOLD);
        TableResult time =
                Tables.of(Tables.TIME).row("A", 20, 21).row("B", 10, 10).result();
        assertThat(Findings.better("", time, Tables.TIME, "B", "A").outcome()).isEqualTo(Outcome.HOLDS);
        assertThat(Findings.better("", time, Tables.TIME, "A", "B").outcome()).isEqualTo(Outcome.DOES_NOT_HOLD);
    }

    @Test
    void theArticlesFactorStandsBesideOurs() {
        TableResult speed =
                Tables.of(Tables.SPEED).row("A", 20, 20).row("B", 10, 10).result();
        assertThat(Findings.better("claimed", speed, Tables.SPEED, "A", "B", 16).toString())
                .isEqualTo("\"claimed\": holds. speed: A is 2.0 times B (2.0 to 2.0 over 2 rounds);"
                        + " in the article A was 16 times B");
        TableResult time =
                Tables.of(Tables.TIME).row("A", 10, 10).row("B", 20, 20).result();
        assertThat(Findings.better("claimed", time, Tables.TIME, "A", "B", 0.25).sentence())
                .endsWith("in the article B was 4.0 times A");
    }

    @Test
    void oneRoundHasNoSpreadAndSaysSo() {
        TableResult table = Tables.of(Tables.SPEED).row("A", 20).row("B", 10).result();
        Finding finding = Findings.better("A is faster", table, Tables.SPEED, "A", "B");
        assertThat(finding.outcome()).isEqualTo(Outcome.HOLDS);
        assertThat(finding.sentence()).isEqualTo("speed: A is 2.0 times B (one round: no spread)");
        assertThat(Findings.same("", table, Tables.SPEED, "A", "B").outcome()).isEqualTo(Outcome.DOES_NOT_HOLD);
    }

    @Test
    void oneRoundHasToShowMore() {
        TableResult table = Tables.of(Tables.SPEED).row("A", 10.9).row("B", 10).result();
        Finding finding = Findings.better("A is faster", table, Tables.SPEED, "A", "B");
        assertThat(finding.outcome()).isEqualTo(Outcome.NO_DIFFERENCE);
        assertThat(finding.sentence())
                .isEqualTo("speed: no difference between A and B that one round could show (1.09 times)");
        assertThat(Findings.same("", table, Tables.SPEED, "A", "B").outcome()).isEqualTo(Outcome.UNDECIDED);
    }

    @Test
    void aDifferenceThatNobodyNoticesIsNone() {
        TableResult table =
                Tables.of(Tables.SPEED).row("A", 10.1, 10.2).row("B", 10, 10).result();
        Finding finding = Findings.better("A is faster", table, Tables.SPEED, "A", "B");
        assertThat(finding.outcome()).isEqualTo(Outcome.NO_DIFFERENCE);
        assertThat(finding.sentence())
                .isEqualTo("speed: no difference between A and B worth telling (1.01 to 1.02 times over 2 rounds)");
    }

    @Test
    void aFailedRowCannotBeCompared() {
        TableResult table =
                Tables.of(Tables.SPEED).row("A", 20, 20).failed("B", "lost").result();
        Finding finding = Findings.better("A is faster", table, Tables.SPEED, "A", "B");
        assertThat(finding.outcome()).isEqualTo(Outcome.UNDECIDED);
        assertThat(finding.sentence()).isEqualTo("B FAILED");
        assertThat(Findings.order("", table, Tables.SPEED, List.of("A", "B")).outcome())
                .isEqualTo(Outcome.UNDECIDED);
        assertThat(Findings.atMost("", table, Tables.SPEED, "B", 3).sentence()).isEqualTo("B FAILED");
    }

    @Test
    void whatIsNotANumberIsLeftOut() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", Double.NaN, 20, 30)
                .row("B", 10, 10, Double.NaN)
                .row("C", 0, 0, 0)
                .row("D")
                .result();
        assertThat(Findings.compare(table, Tables.SPEED, "A", "B").sentence())
                .isEqualTo("speed: A is 2.0 times B (one round: no spread)");
        assertThat(Findings.compare(table, Tables.SPEED, "A", "C").sentence())
                .isEqualTo("A and C were not both measured");
        assertThat(Findings.compare(table, Tables.SPEED, "A", "D").outcome()).isEqualTo(Outcome.UNDECIDED);
    }

    @Test
    void theSameIsWhatOverlaps() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", 9, 12)
                .row("B", 10, 10)
                .row("C", 5, 5)
                .result();
        assertThat(Findings.same("", table, Tables.SPEED, "A", "B").outcome()).isEqualTo(Outcome.HOLDS);
        assertThat(Findings.same("", table, Tables.SPEED, "A", "C").outcome()).isEqualTo(Outcome.DOES_NOT_HOLD);
    }

    @Test
    void anOrderHoldsOrTheOffendingPairIsNamed() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", 30, 30)
                .row("B", 20, 20)
                .row("C", 19, 21)
                .row("D", 25, 26)
                .result();
        assertThat(Findings.order("", table, Tables.SPEED, List.of("A", "B")).sentence())
                .isEqualTo("speed: the article's order, A, B, holds");
        Finding overlapping = Findings.order("", table, Tables.SPEED, List.of("A", "B", "C"));
        assertThat(overlapping.outcome()).isEqualTo(Outcome.HOLDS);
        assertThat(overlapping.sentence()).contains("holds, but not clearly: no difference between B and C");
        Finding wrong = Findings.order("", table, Tables.SPEED, List.of("A", "C", "D"));
        assertThat(wrong.outcome()).isEqualTo(Outcome.DOES_NOT_HOLD);
        assertThat(wrong.sentence()).endsWith("does not hold: D is 1.28 times C (1.24 to 1.32 over 2 rounds)");
    }

    @Test
    void aBoundIsComparedWithTheMedian() {
        TableResult table = Tables.of(Tables.TIME).row("A", 150, 190, 260).result();
        assertThat(Findings.atMost("", table, Tables.TIME, "A", 200).outcome()).isEqualTo(Outcome.HOLDS);
        assertThat(Findings.atMost("", table, Tables.TIME, "A", 180).outcome()).isEqualTo(Outcome.DOES_NOT_HOLD);
        assertThat(Findings.atMost("", table, Tables.TIME, "A", 200).sentence())
                .isEqualTo("time (us): A has 190 (150 to 260 over 3 rounds), the claim allows 200");
    }

    @Test
    void roundsInWhichTheMachineChangedAreLeftOutWhenEnoughRemain() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", 20, 5, 20)
                .row("B", 10, 10, 10)
                .round(50, 51)
                .round(51, 230)
                .round(230, 231)
                .result();
        assertThat(table.counted()).containsExactly(0, 2);
        assertThat(Findings.compare(table, Tables.SPEED, "A", "B").sentence())
                .isEqualTo("speed: A is 2.0 times B (2.0 to 2.0 over 2 rounds)");
    }

    @Test
    void allRoundsCountWhenMostAreDisturbed() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", 20, 5, 20)
                .round(50, 51)
                .round(51, 230)
                .round(230, 9_000)
                .result();
        assertThat(table.counted()).containsExactly(0, 1, 2);
    }
}
