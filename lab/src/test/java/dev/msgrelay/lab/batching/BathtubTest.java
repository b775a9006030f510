package dev.msgrelay.lab.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.lab.Tables;
import dev.msgrelay.lab.Verdict;
import dev.msgrelay.lab.batching.Sender.Way;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** J-curve or bathtub, on made-up figures. */
class BathtubTest {
    private static final List<Integer> LOADS = List.of(1_000, 2_000, 4_000);
    private static final int ROUNDS = 5;

    private final List<Row> rows = new ArrayList<>();

    @Test
    void latencyThatStaysIsABathtub() {
        add(1_000, 1_000, 100);
        add(2_000, 1_990, 120);
        add(4_000, 2_500, 90_000);
        Verdict verdict = judge();
        assertThat(verdict.words()).isEqualTo("holds");
        assertThat(verdict.here())
                .isEqualTo("relay carried up to 2,000 msg/s, with a median latency of 120 us there; median:"
                        + " relay, 2,000 msg/s is 1.20 times relay, 1,000 msg/s (1.20 to 1.20, 5 rounds)");
    }

    @Test
    void latencyThatGrowsBeforeItIsNot() {
        add(1_000, 1_000, 100);
        add(2_000, 2_000, 210);
        add(4_000, 2_500, 90_000);
        assertThat(judge().words()).startsWith("does not hold");
    }

    @Test
    void whoDoesNotCarryTheLeastLoadCannotBeJudged() {
        add(1_000, 900, 100);
        add(2_000, 900, 100);
        add(4_000, 900, 100);
        assertThat(judge().words()).isEqualTo("cannot tell: relay did not carry even the smallest load");
    }

    /** A load is as constant as itself: that says nothing. */
    @Test
    void norWhoCarriesTheLeastLoadAlone() {
        add(1_000, 1_000, 100);
        add(2_000, 1_000, 90_000);
        add(4_000, 1_000, 90_000);
        assertThat(judge().words()).isEqualTo("cannot tell: relay carried only the smallest load");
    }

    @Test
    void norWhoFailed() {
        LOADS.forEach(load -> rows.add(new Row("relay", Load.load(load), List.of(), "1 lost")));
        assertThat(judge().words()).startsWith("cannot tell");
    }

    private void add(int load, double delivered, double median) {
        Measurement measurement = Measurement.of(Load.DELIVERED, delivered).and(Load.MEDIAN, median);
        rows.add(Tables.row("relay", Load.load(load), Collections.nCopies(ROUNDS, measurement)));
    }

    private Verdict judge() {
        return BatchingExperiment.bathtub(Tables.of(ArticleFigures.NONE, rows), Way.RELAY, LOADS);
    }
}
