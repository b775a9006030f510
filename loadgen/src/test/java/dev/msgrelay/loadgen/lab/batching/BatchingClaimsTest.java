package dev.msgrelay.loadgen.lab.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.Finding.Outcome;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.RoundResult;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** J-curve or bathtub, on made-up figures. */
class BatchingClaimsTest {
    private static final List<Integer> LOADS = List.of(1_000, 2_000, 4_000);

    private final List<RowResult> rows = new ArrayList<>();

    @Test
    void latencyThatStaysIsABathtub() {
        add(1_000, 1_000, 100);
        add(2_000, 1_990, 120);
        add(4_000, 2_500, 90_000);
        Finding finding = judge();
        assertThat(finding.outcome()).isEqualTo(Outcome.HOLDS);
        assertThat(finding.sentence())
                .isEqualTo("relay carried up to 2,000 msg/s, with a median latency of 120 us there and 100 us at"
                        + " 1,000 msg/s");
    }

    @Test
    void latencyThatGrowsBeforeItIsNot() {
        add(1_000, 1_000, 100);
        add(2_000, 2_000, 201);
        add(4_000, 2_500, 90_000);
        assertThat(judge().outcome()).isEqualTo(Outcome.DOES_NOT_HOLD);
    }

    @Test
    void whoDoesNotCarryTheLeastLoadCannotBeJudged() {
        add(1_000, 900, 100);
        add(2_000, 900, 100);
        add(4_000, 900, 100);
        assertThat(judge().outcome()).isEqualTo(Outcome.UNDECIDED);
    }

    @Test
    void norWhoFailed() {
        for (int load : LOADS) {
            String setting = LoadContestant.load(load);
            rows.add(new RowResult("relay", setting, "relay, " + setting, List.of(), "1 lost"));
        }
        assertThat(judge().outcome()).isEqualTo(Outcome.UNDECIDED);
    }

    @Test
    void theArticlesTableStandsBesideTheSerialWay() {
        Claims claims = BatchingClaims.workedExample();
        assertThat(claims.of(Way.SERIAL.text(), BurstContestant.AVERAGE)).contains(new Claims.Claim(500, 500));
        assertThat(claims.of(Way.QUEUE.text(), BurstContestant.PACKETS)).contains(new Claims.Claim(1, 2));
        assertThat(claims.of(Way.RELAY.text(), BurstContestant.BEST)).isEmpty();
    }

    private void add(int load, double delivered, double median) {
        String setting = LoadContestant.load(load);
        Measurement measurement =
                Measurement.of(LoadContestant.DELIVERED, delivered).and(LoadContestant.MEDIAN, median);
        rows.add(new RowResult("relay", setting, "relay, " + setting, List.of(measurement), null));
    }

    private Finding judge() {
        LabTable table = new LabTable("load", "", List.of(), List.of(), Claims.NONE, List.of(), result -> List.of());
        return BatchingClaims.bathtub(
                new TableResult(table, rows, List.of(new RoundResult(50, 50)), 1), Way.RELAY, LOADS);
    }
}
