package dev.msgrelay.loadgen.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.result.RunRecord.Hops;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegimeTest {
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "45, 47, NEAR",
        "230, 231, FAR",
        "45, 230, CHANGED",
        "230, 45, CHANGED",
        "45, 73, CHANGED",
        "45, 72, NEAR",
        "99, 102, FAR",
        "98, 101, NEAR",
        "45, 5000, DISTURBED",
        "2001, 2002, DISTURBED",
        "NaN, 45, UNKNOWN",
        "45, NaN, UNKNOWN",
    })
    void followsFromBothHops(double before, double after, Regime regime) {
        assertThat(new Hops(before, after).regime()).isEqualTo(regime);
    }

    @Test
    void coresThatWereMovedAndCoresThatSomebodyElseWantedAreSaid() {
        assertThat(new Hops(34, 40).marks()).isEmpty();
        assertThat(new Hops(170, 180).marks()).as("far, but steady").isEmpty();
        assertThat(Hops.NONE.marks()).isEmpty();
        assertThat(new Hops(34, 95).marks())
                .containsExactly("the cores were moved: from core to core took 34 ns before and 95 ns after");
        assertThat(new Hops(34, 170_000).marks())
                .containsExactly(
                        "somebody else wanted the cores: from core to core took 34 ns before and 170,000 ns after");
    }

    @Test
    void mostRunsOfOneRegimeStandForACell() {
        Cell cell = new Cell(MadeUp.parameters("100", 1), null, List.of());
        cell = cell.with(MadeUp.run(1, 10, new Hops(45, 45), cell, Outcome.PASS))
                .with(MadeUp.run(2, 2, new Hops(230, 230), cell, Outcome.PASS))
                .with(MadeUp.run(3, 4, new Hops(230, 230), cell, Outcome.PASS))
                .with(MadeUp.run(4, 99, new Hops(45, 230), cell, Outcome.PASS))
                .with(MadeUp.run(5, 99, new Hops(230, 230), cell, new Outcome(List.of("lost"), List.of(), false)))
                .with(MadeUp.run(6, 99, new Hops(230, 230), cell, new Outcome(List.of(), List.of(), true)))
                .with(MadeUp.run(7, 99, new Hops(230, 230), cell, new Outcome(List.of(), List.of("disturbed"), false)));
        Counted counted = Counted.of(cell);
        assertThat(counted.regime()).isEqualTo(Regime.FAR);
        assertThat(counted.total()).isEqualTo(7);
        assertThat(counted.median(Figures::out)).isEqualTo(3);
        assertThat(Counted.of(cell, Regime.NEAR).median(Figures::out)).isEqualTo(10);
        assertThat(Counted.of(new Cell(cell.parameters(), null, List.of())).median(Figures::out))
                .isNaN();
    }
}
