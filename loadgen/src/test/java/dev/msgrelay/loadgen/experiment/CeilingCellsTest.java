package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a relay is set against had no more tries than the relay. */
class CeilingCellsTest {
    private static final Timing TIMING = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(3));

    @Test
    void aCeilingIsOneRunOfOneSize() {
        Load load = Load.oneToOne(100).withCounts(4, 8);
        LoadCell direct = CeilingCells.direct(load, TIMING, null);
        assertThat(direct.contestant().name()).contains("" + CeilingCells.SIZE);
        assertThat(direct.load()).isEqualTo(load.withCounts(1, 1).withCheck(Check.NONE));
        LoadCell plain = CeilingCells.plain(load, TIMING, null);
        assertThat(plain.contestant().name()).contains("" + CeilingCells.SIZE);
        assertThat(plain.load()).isEqualTo(load.withCounts(1, 8));
    }
}
