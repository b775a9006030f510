package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.SideBySide.Schedule;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.rig.Plan;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SideBySideTest {
    private static final Timing EACH = seconds(4, 2);
    private static final List<Plan> PLANS = List.of(plan("A"), plan("B"));

    /** Six rounds are the fewest that give an interval; a run takes three seconds beside its own time. */
    @Test
    void theFewestRoundsTakeThisLong() {
        assertThat(new Schedule(seconds(10, 2), seconds(4, 0), EACH, 1).least(PLANS))
                .isEqualTo(Duration.ofSeconds(12 + 6 * 2 * 9));
        assertThat(new Schedule(seconds(10, 2), seconds(4, 0), EACH, 4).least(PLANS))
                .isEqualTo(Duration.ofSeconds(12 + 6 * (2 * 4 + 4 * 2 * 9)));
    }

    private static Timing seconds(long warmup, long measured) {
        return new Timing(Duration.ofSeconds(warmup), Duration.ofSeconds(measured));
    }

    private static Plan plan(String side) {
        return Plan.here(side, null, Load.oneToOne(100), EACH, null);
    }
}
