package dev.msgrelay.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.Verdict.Outcome;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of claims, on made-up figures. */
class ClaimTest {
    /** A is the figures; B is 10 in every round. */
    private static TableResult table(Column column, String figures) {
        double[] a = figures(figures);
        double[] b = new double[a.length];
        Arrays.fill(b, 10);
        return Tables.of(column).row("A", a).row("B", b).result();
    }

    private static double[] figures(String figures) {
        return Arrays.stream(figures.trim().split(" "))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    @ParameterizedTest(name = "{0}: {3}")
    @CsvSource(
            delimiter = '|',
            value = {
                // A in each round; B is 10      | direction     | size          | words
                "700 690 710 705 695             | HOLDS         | HOLDS         | direction holds; size holds",
                "1330 1300 1360 1340 1320        | HOLDS         | DOES_NOT_HOLD | direction holds; size does not hold: 133 instead of 70",
                "780 730 800 790 760             | HOLDS         | HOLDS         | direction holds; size holds",
                "840 690 900 860 820             | HOLDS         | CANNOT_TELL   | direction holds; size cannot be told: 69 to 90",
                "12 11 13 12 12                  | HOLDS         | DOES_NOT_HOLD | direction holds; size does not hold: 1.20 instead of 70",
                "10.1 10.2 9.9 10.0 10.1         | DOES_NOT_HOLD | DOES_NOT_HOLD | does not hold: no difference",
                "5 5.1 4.9 5 5                   | DOES_NOT_HOLD | DOES_NOT_HOLD | does not hold: B is ahead",
                "9 14 12 11 13                   | CANNOT_TELL   | DOES_NOT_HOLD | direction cannot be told: 0.90 to 1.40; size does not hold: 1.20 instead of 70",
                "700 690 710 705                 | NOT_ENOUGH_ROUNDS | NOT_ENOUGH_ROUNDS | not enough rounds: 4 of 5",
            })
    void aboutSeventyTimes(String figures, Outcome direction, Outcome size, String words) {
        Verdict verdict =
                Claim.better("about 70 times", Tables.SPEED, "A", "B").times(70).judge(table(Tables.SPEED, figures));
        assertThat(verdict.direction()).isEqualTo(direction);
        assertThat(verdict.size()).isEqualTo(size);
        assertThat(verdict.words()).isEqualTo(words);
        assertThat(verdict.article()).isEqualTo("70 times");
        assertThat(verdict.holds()).isEqualTo(words.equals("direction holds; size holds"));
        assertThat(verdict.isRefuted()).isEqualTo(direction == Outcome.DOES_NOT_HOLD || size == Outcome.DOES_NOT_HOLD);
    }

    @ParameterizedTest(name = "{0}: {3}")
    @CsvSource(
            delimiter = '|',
            value = {
                // B's time; A's is 10           | direction     | size          | words
                "15 15.5 14.6 15.1 15            | HOLDS         | HOLDS         | direction holds; size holds",
                "12.2 10.0 13.1 12.0 13.0        | CANNOT_TELL   | DOES_NOT_HOLD | direction cannot be told: 1.00 to 1.31; size does not hold: 1.22 instead of 1.50",
                "12.2 10.04 15.1 12.0 13.0       | CANNOT_TELL   | CANNOT_TELL   | direction cannot be told: 1.00 to 1.51; size cannot be told: 1.00 to 1.51",
                "15 10.0 15.2 15.1 17            | CANNOT_TELL   | CANNOT_TELL   | direction cannot be told: 1.00 to 1.70; size cannot be told: 1.00 to 1.70",
                "13 12.5 13.2 12.8 13.1          | HOLDS         | HOLDS         | direction holds; size holds",
                "12.2 12.0 12.3 12.1 12.4        | HOLDS         | DOES_NOT_HOLD | direction holds; size does not hold: 1.22 instead of 1.50",
            })
    void fiftyPercentMoreOfATime(String figures, Outcome direction, Outcome size, String words) {
        double[] b = figures(figures);
        double[] a = new double[b.length];
        Arrays.fill(a, 10);
        TableResult table = Tables.of(Tables.TIME).row("A", a).row("B", b).result();
        Verdict verdict =
                Claim.better("50 % more", Tables.TIME, "A", "B").times(1.5).judge(table);
        assertThat(verdict.direction()).isEqualTo(direction);
        assertThat(verdict.size()).isEqualTo(size);
        assertThat(verdict.words()).isEqualTo(words);
    }

    @ParameterizedTest(name = "{0}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "12 12.1 12.2 12.3 12.4   | HOLDS             | holds",
                "10.4 10.5 10.3 10.6 10.5 | HOLDS             | holds",
                "10.2 10.2 10.2 10.2 10.2 | DOES_NOT_HOLD     | does not hold: no difference",
                "8 8 8 8 8                | DOES_NOT_HOLD     | does not hold: B is ahead",
                "10.0 10.9 10.9 10.9 10.9 | CANNOT_TELL       | cannot be told: 1.00 to 1.09",
                "9 11 10 10 10            | CANNOT_TELL       | cannot be told: 0.90 to 1.10",
                "20                       | NOT_ENOUGH_ROUNDS | not enough rounds: 1 of 5",
            })
    void aDirectionAlone(String figures, Outcome direction, String words) {
        Verdict verdict = Claim.better("faster", Tables.SPEED, "A", "B").judge(table(Tables.SPEED, figures));
        assertThat(verdict.direction()).isEqualTo(direction);
        assertThat(verdict.size()).isNull();
        assertThat(verdict.words()).isEqualTo(words);
        assertThat(verdict.article()).isEmpty();
    }

    @ParameterizedTest(name = "{0}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "10 11 9 10.5 12       | HOLDS             | holds",
                "19 18 19.5 17 19      | HOLDS             | holds",
                "18 19 20.1 18 19      | CANNOT_TELL       | cannot be told: 1.80 to 2.0",
                "30 31 32 33 34        | DOES_NOT_HOLD     | does not hold: 3.2 times",
                "4 4.1 3.9 4 4         | DOES_NOT_HOLD     | does not hold: 0.40 times",
                "10 11                 | NOT_ENOUGH_ROUNDS | not enough rounds: 2 of 5",
            })
    void theSameUpToTwice(String figures, Outcome direction, String words) {
        Verdict verdict = Claim.equal("constant", Tables.SPEED, "A", "B", 2).judge(table(Tables.SPEED, figures));
        assertThat(verdict.direction()).isEqualTo(direction);
        assertThat(verdict.size()).isNull();
        assertThat(verdict.words()).isEqualTo(words);
    }

    @Test
    void withoutAStatedSizeTheArticlesFiguresAreOne() {
        Tables speed = Tables.of(Tables.SPEED).row("A", 20, 20, 20, 20, 20).row("B", 10, 10, 10, 10, 10);
        Claim claim = Claim.better("faster", Tables.SPEED, "A", "B");
        assertThat(claim.judge(speed.article("A | 160\nB | 8-10-14").result()).words())
                .isEqualTo("direction holds; size does not hold: 2.0 instead of 16");
        assertThat(claim.judge(speed.article("A | 19\nB | 10").result()).words())
                .isEqualTo("direction holds; size holds");
        assertThat(claim.judge(speed.article("A | 10\nB | 10").result()).words())
                .isEqualTo("holds");
        assertThat(claim.judge(speed.article("A | 10").result()).article()).isEmpty();

        TableResult time = Tables.of(Tables.TIME)
                .row("A", 10, 10, 10, 10, 10)
                .row("B", 20, 20, 20, 20, 20)
                .article("A | 150\nB | 600")
                .result();
        assertThat(Claim.better("sooner", Tables.TIME, "A", "B").judge(time).words())
                .isEqualTo("direction holds; size does not hold: 2.0 instead of 4.0");
    }

    @Test
    void aSizeMayBeARange() {
        Claim claim =
                Claim.better("1 to 2 packets, not 10", Tables.TIME, "A", "B").times(5, 10);
        assertThat(claim.judge(table(Tables.TIME, "1.9 1.9 2 1.1 1")).words()).isEqualTo("direction holds; size holds");
        assertThat(claim.judge(table(Tables.TIME, "3 3 3 3 4")).words())
                .isEqualTo("direction holds; size does not hold: 3.3 instead of 5.0 to 10");
    }

    @Test
    void whatWasMeasuredNamesTheLargerOneFirst() {
        TableResult speed = table(Tables.SPEED, "21 22 20 23 24");
        assertThat(Claim.better("", Tables.SPEED, "A", "B").judge(speed).here())
                .isEqualTo("speed: A is 2.2 times B (2.0 to 2.4, 5 rounds)");
        assertThat(Claim.better("", Tables.SPEED, "B", "A").judge(speed).here())
                .isEqualTo("speed: A is 2.2 times B (2.0 to 2.4, 5 rounds)");
        TableResult time = table(Tables.TIME, "5 5 4 5 5");
        assertThat(Claim.better("", Tables.TIME, "A", "B").judge(time).here())
                .isEqualTo("time: B is 2.0 times A (2.0 to 2.5, 5 rounds)");
    }

    @Test
    void aMachineThatDriftsDoesNotHideADifferenceThatEveryRoundShows() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", 22, 44, 11, 88, 5.5)
                .row("B", 20, 40, 10, 80, 5)
                .result();
        assertThat(Claim.better("faster", Tables.SPEED, "A", "B").judge(table).words())
                .isEqualTo("holds");
    }

    @Test
    void moreRoundsNarrowTheInterval() {
        Verdict verdict = Claim.better("faster", Tables.SPEED, "A", "B")
                .judge(table(Tables.SPEED, "20 20.1 19.9 20 9 20.1 19.9 20 20.2 19.8"));
        assertThat(verdict.words()).isEqualTo("holds");
        assertThat(verdict.here()).endsWith("10 rounds)");
    }

    @Test
    void aFailedRowCannotBeCompared() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", 20, 20, 20, 20, 20)
                .failed("B", "lost")
                .row("C")
                .result();
        Verdict verdict = Claim.better("faster", Tables.SPEED, "A", "B").judge(table);
        assertThat(verdict.direction()).isEqualTo(Outcome.CANNOT_TELL);
        assertThat(verdict.words()).isEqualTo("cannot tell: B FAILED");
        assertThat(Claim.better("", Tables.SPEED, "A", "C").judge(table).words())
                .isEqualTo("cannot tell: A and C were not measured");
    }

    @Test
    void whatIsNoNumberIsLeftOut() {
        TableResult table = Tables.of(Tables.SPEED)
                .row("A", Double.NaN, 20, 30, 20, 20, 20)
                .row("B", 10, 10, Double.NaN, 0, 10, 10)
                .result();
        assertThat(Claim.better("", Tables.SPEED, "A", "B").judge(table).here())
                .isEqualTo("speed: A is 2.0 times B (2.0 to 2.0, 3 rounds)");
    }
}
