package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutputBudgetTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void refillsEvenlyUpToTheBurst() {
        OutputBudget budget = new OutputBudget(100, 10, 0);
        assertThat(budget.take(100, 0)).isTrue();
        assertThat(budget.take(20, 2 * SECOND)).isTrue();
        assertThat(budget.take(100, 1_000 * SECOND)).isTrue();
    }

    @Test
    void onceOverdrawnItStaysSo() {
        OutputBudget budget = new OutputBudget(100, 10, 0);
        assertThat(budget.take(101, 0)).isFalse();
        assertThat(budget.take(1, 1_000 * SECOND)).isFalse();
    }
}
