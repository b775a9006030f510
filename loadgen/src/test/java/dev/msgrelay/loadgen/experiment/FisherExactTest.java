package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against tables, and against what can be counted by hand. */
class FisherExactTest {
    @ParameterizedTest(name = "{0} of {1}, {2} of {3}: {4}")
    @CsvSource({
        // Fisher's tea: 3 of 4 cups, and 1 of 4: 34 of 70 ways are as far from even.
        "3, 4, 1, 4, 0.4857142857",
        "4, 4, 0, 4, 0.0285714286",
        // Counted with whole numbers.
        "1, 10, 7, 10, 0.0197666111",
        "0, 40, 8, 40, 0.0053060517",
        "0, 40, 0, 40, 1",
        "13, 40, 13, 40, 1",
        "0, 0, 3, 5, 1"
    })
    void probabilities(int withA, int runsA, int withB, int runsB, double probability) {
        assertThat(FisherExact.twoSided(withA, runsA, withB, runsB)).isEqualTo(probability, within(1e-9));
        assertThat(FisherExact.twoSided(withB, runsB, withA, runsA)).isEqualTo(probability, within(1e-9));
    }
}
