package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Shootouts;
import org.junit.jupiter.api.Test;

class ShootoutTableTest {
    @Test
    void everythingThatWasMeasuredSkippedOrFailedIsThere() {
        Shootout shootout = Shootouts.full();
        String table = ShootoutTable.of(shootout);
        shootout.lanes().forEach(lane -> {
            assertThat(table).contains(lane.label());
            if (lane.skipped() != null) {
                assertThat(table).contains("skipped: " + lane.skipped());
            }
            lane.cells().stream().flatMap(cell -> cell.runs().stream()).forEach(run -> run.outcome()
                    .marks()
                    .forEach(mark -> assertThat(table).contains(mark)));
        });
        assertThat(table).contains("of ceil.", "p99", "bound by", "core-to-core hop before and after the runs");
    }
}
