package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.JoinRun.Measured;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class JoinReportTest {
    private static final Load LOAD = Load.oneToOne(100).withTypes(2_000).withFromState(true);

    @Test
    void theMedianComesFirst() {
        JoinReport report = new JoinReport(
                LOAD, List.of(join(5_000_000, 900_000), join(1_000_000, 700_000), join(2_000_000, 800_000)));
        assertThat(report.text())
                .isEqualTo("join: 2 ms until the state was complete, 800 us of the relay's processor (median of 3)\n"
                        + "  2,000 types, bodies of 100 bytes; 1 ms to 5 ms, processor 700 us to 900 us;"
                        + " before them 10 uncounted\n");
        assertThat(report.failures()).isEmpty();
    }

    @Test
    void betweenTwoItIsTheirMeanAndWhatIsUnknownStaysSo() {
        JoinReport report = new JoinReport(LOAD, List.of(join(1_000, -1), join(3_000, 5)));
        JsonNode json = Json.parse(Json.text(report.document()));
        assertThat(json.path("medianNanos").asDouble(0)).isEqualTo(2_000);
        assertThat(json.path("medianRelayCpuNanos").isNull()).isTrue();
    }

    @Test
    void whatIsWrongComesBeforeTheFigures() {
        JoinReport report = new JoinReport(LOAD, List.of(new Measured(1, 1, 1_999, "type 7 had none")));
        assertThat(report.failures()).containsExactly("type 7 had none", "1,999 messages came for 2,000 types");
        assertThat(report.text())
                .startsWith("FAIL: type 7 had none\nFAIL: 1,999 messages came for 2,000 types\njoin: ");
    }

    private static Measured join(long nanos, long cpu) {
        return new Measured(nanos, cpu, LOAD.types(), null);
    }
}
