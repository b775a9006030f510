package dev.msgrelay.loadgen.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class HistogramsTest {
    @Test
    void aSparseOneTellsTheSameAsAFullOneInAFractionOfTheMemory() {
        Histogram full = new Histogram(100_000_000_000L, 3);
        Random random = new Random(5);
        for (int i = 0; i < 100_000; i++) {
            full.recordValue((long) (50_000 * Math.exp(random.nextGaussian())));
        }
        full.recordValue(99_000_000_000L);
        Histogram sparse = Histograms.sparse();
        sparse.add(Histograms.decode(Histograms.encode(full)));
        for (double percentile : new double[] {0, 50, 99, 99.99, 100}) {
            assertThat(sparse.getValueAtPercentile(percentile)).isEqualTo(full.getValueAtPercentile(percentile));
        }
        assertThat(sparse.getTotalCount()).isEqualTo(full.getTotalCount());
        assertThat(sparse.getEstimatedFootprintInBytes()).isLessThan(full.getEstimatedFootprintInBytes() / 4);
        assertThat(Histograms.decode(Histograms.encode(sparse))).isEqualTo(full);
    }

    @Test
    void anotherTextIsRefused() {
        assertThatThrownBy(() -> Histograms.decode("AAAA")).isInstanceOf(IllegalArgumentException.class);
    }
}
