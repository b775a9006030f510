package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Window;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class WatchTest {
    private static final Offset<Double> NEAR = within(1e-6);
    private static final Window WINDOW = new Window(0, millis(1_000), millis(5_000));

    @Test
    void reportsWithinTheWindowSpeakWhereTheySpanIt() {
        RelayHolds holds = Watch.holds(
                List.of(
                        report(500, 400, 0, 100),
                        report(1_500, 500, 0, 100),
                        report(2_500, 1_400, 100, 60),
                        report(3_500, 1_500, 300, 0),
                        report(5_500, 1_500, 300, 0)),
                WINDOW);
        assertThat(holds.heldBack()).isCloseTo(0.5, NEAR);
        assertThat(holds.backpressure()).isCloseTo(0.15, NEAR);
        assertThat(holds.ringUsed()).isCloseTo(160 / 300.0, NEAR);
    }

    @Test
    void ofAShortWindowTheReportsAroundIt() {
        Window window = new Window(0, millis(1_000), millis(1_400));
        RelayHolds holds = Watch.holds(
                List.of(
                        report(-500, 0, 0, 0),
                        report(500, 100, 100, 0),
                        report(1_500, 900, 200, 50),
                        report(2_500, 900, 200, 0)),
                window);
        assertThat(holds.heldBack()).isCloseTo(0.8, NEAR);
        assertThat(holds.backpressure()).isCloseTo(0.1, NEAR);
        assertThat(holds.ringUsed()).isCloseTo(0.25, NEAR);
    }

    @Test
    void aRelayThatSaysNothingOfIt() {
        assertThat(Watch.holds(List.of(), WINDOW)).isEqualTo(RelayHolds.UNKNOWN);
        assertThat(Watch.holds(List.of(report(1_200, 1, 1, 1)), WINDOW)).isEqualTo(RelayHolds.UNKNOWN);
        JsonNode old = Json.tree(Map.of("largestLagBytes", 5));
        assertThat(Watch.holds(
                        List.of(new Child.Event(millis(1_000), old), new Child.Event(millis(4_000), old)), WINDOW))
                .isEqualTo(RelayHolds.UNKNOWN);
    }

    private static Child.Event report(long millis, long heldBack, long backpressure, long usedCells) {
        JsonNode json = Json.tree(Map.of(
                "heldBackMillis",
                heldBack,
                "backpressureMillis",
                backpressure,
                "ringCells",
                100,
                "ringUsedCells",
                usedCells));
        return new Child.Event(millis(millis), json);
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
