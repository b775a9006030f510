package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.msgrelay.loadgen.experiment.SideBySide.Schedule;
import dev.msgrelay.loadgen.experiment.SideBySide.Sided;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.Contestants;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.loadgen.rig.RunException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SideBySideTest {
    private static final Contestant RELAY = new RelayContestant(List.of(), List.of());
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

    @Test
    void thePlainRelayIsComparedWithTheSameCongestionControlOnly() throws Exception {
        Senders cubic = new Senders(Congestion.of("cubic"), Congestion.of("cubic"));
        Senders bbr = new Senders(Congestion.of("cubic"), Congestion.of("bbr"));
        try (SideBySide ceiling = sides(Contestants.plain(1_000));
                SideBySide relays = sides(RELAY)) {
            ceiling.checkLike(Side.A, cubic);
            ceiling.checkLike(Side.B, cubic);
            assertThatExceptionOfType(RunException.class)
                    .isThrownBy(() -> ceiling.checkLike(Side.B, bbr))
                    .withMessage("no ratio to the plain relay of unlike congestion control: B cubic of the publishers,"
                            + " bbr of the relay; A cubic of the publishers, cubic of the plain relay");
            Senders untold = new Senders(Congestion.of("cubic"), Congestion.UNKNOWN);
            assertThatNoException().isThrownBy(() -> ceiling.checkLike(Side.B, untold));
            relays.checkLike(Side.A, cubic);
            assertThatNoException().isThrownBy(() -> relays.checkLike(Side.B, bbr));
        }
    }

    private static SideBySide sides(Contestant a) throws InterruptedException {
        Load load = Load.oneToOne(100);
        return new SideBySide(
                Map.of(Side.A, new Sided("a", load, a), Side.B, new Sided("b", load, RELAY)),
                new Schedule(EACH, EACH, EACH, 1));
    }

    private static Timing seconds(long warmup, long measured) {
        return new Timing(Duration.ofSeconds(warmup), Duration.ofSeconds(measured));
    }

    private static Plan plan(String side) {
        return Plan.here(side, null, Load.oneToOne(100), EACH, null);
    }
}
