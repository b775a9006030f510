package dev.msgrelay.loadgen.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns;
import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.Told;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.LatencyRatio.LeftOut;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class LatencyRatioTest {
    private static final Timing SECOND = new Timing(Duration.ofMillis(100), Duration.ofSeconds(1));
    private static final Load LOAD = Load.oneToOne(100).withRate(20_000);
    private static final Given RELAY = new Given(20_000, 60_000);
    private static final Given PLAIN = new Given(20_000, 40_000);

    @Test
    void eachPercentileIsDividedByThePlainRelaysAtTheSameRate() {
        List<LatencyRatio> ratios = ratios(record(RELAY), record(PLAIN));
        assertThat(ratios).extracting(LatencyRatio::percentile).containsExactly(50.0, 99.0, 99.9);
        assertThat(ratios).allSatisfy(ratio -> {
            assertThat(ratio.messagesPerSecond()).isEqualTo(20_000);
            assertThat(ratio.ratio()).isEqualTo(ratio.nanos() / ratio.plainRelayNanos());
            assertThat(Math.round(ratio.ratio() * 100)).isEqualTo(150);
            assertThat(ratio.leftOut()).isEmpty();
        });
    }

    /** 300 of 20,000 are 1.5 %: they may be in p99 and p99.9, and are not in p50. */
    @Test
    void thePercentilesWithTheGeneratorsOwnLatenessOfEitherRunAreLeftOut() {
        for (List<LatencyRatio> ratios : List.of(
                ratios(record(RELAY.late(300)), record(PLAIN)), ratios(record(RELAY), record(PLAIN.late(300))))) {
            assertThat(ratios)
                    .extracting(LatencyRatio::leftOut)
                    .containsExactly(List.of(), List.of(LeftOut.OWN_LATENESS), List.of(LeftOut.OWN_LATENESS));
            assertThat(ratios.get(0).ratio()).isGreaterThan(1);
            assertThat(ratios.get(1).ratio()).isNaN();
            assertThat(ratios.get(1).nanos()).as("the figures stay").isPositive();
        }
    }

    @Test
    void runsOfUnlikeSocketsOnABusyMachineOrWithAFaultHaveNoRatio() {
        Senders cubic = new Senders(Congestion.of("cubic"), Congestion.of("cubic"));
        Senders bbr = new Senders(Congestion.of("cubic"), Congestion.of("bbr"));
        RunRecord plain = LoadRuns.sentBy(record(PLAIN), cubic);
        SubscriberResult lost = new SubscriberResult(0, 20_000, new Faults(3, 0, 0, 0, 0, 0), Told.NOTHING, null, 0);
        expect(LeftOut.UNLIKE_CONGESTION, ratios(LoadRuns.sentBy(record(RELAY), bbr), plain));
        expect(LeftOut.UNLIKE_CONGESTION, ratios(record(RELAY), LoadRuns.sentBy(plain, bbr)));
        expect(LeftOut.DISTURBED, ratios(record(RELAY.beside(0.4)), plain));
        expect(LeftOut.DISTURBED, ratios(record(RELAY), record(PLAIN.beside(0.4))));
        expect(LeftOut.FAILED, ratios(record(RELAY.of(lost)), plain));
        expect(LeftOut.FAILED, ratios(record(RELAY), record(PLAIN.of(lost))));
        RunRecord broken = RunRecord.partial(1, "2026-01-01T00:00:00Z", List.of("plain relay ended"));
        expect(LeftOut.FAILED, ratios(record(RELAY), broken));
    }

    @Test
    void runsOfTheSameRoundAndTheSameRateAreAPair() {
        Cell relay = cell(
                Cell.RELAY, LOAD, LoadRuns.record(LOAD, SECOND, 1, RELAY), LoadRuns.record(LOAD, SECOND, 2, RELAY));
        Cell plain = cell(Cell.PLAIN, LOAD.ofPlainRelay(), LoadRuns.record(LOAD, SECOND, 2, PLAIN));
        assertThat(loopback(relay, plain).latencyRatios()).hasSize(3);
        Load four = Load.oneToOne(100).withCounts(4, 1).withRate(5_000);
        assertThat(loopback(cell(Cell.RELAY, four, LoadRuns.record(LOAD, SECOND, 2, RELAY)), plain)
                        .latencyRatios())
                .as("one publisher of the plain relay sends what four of the relay send together")
                .hasSize(3);
        assertThat(loopback(cell(Cell.RELAY, LOAD.withRate(20_001), record(RELAY)), plain)
                        .latencyRatios())
                .isEmpty();
        Load most = Load.oneToOne(100).withCounts(2, 1).withRate(Load.MAX_RATE);
        assertThat(loopback(cell(Cell.RELAY, most, record(RELAY)), cell(Cell.PLAIN, most.ofPlainRelay(), record(PLAIN)))
                        .latencyRatios())
                .as("one publisher cannot send what both send together")
                .isEmpty();
        assertThat(loopback(
                                cell(Cell.RELAY, LOAD.withRate(0), record(RELAY)),
                                cell(Cell.PLAIN, LOAD.withRate(0), record(PLAIN)))
                        .latencyRatios())
                .as("at full speed there is no latency")
                .isEmpty();
    }

    @Test
    void programsGetTheRatiosOfALane() {
        LaneResult lane = loopback(
                cell(Cell.RELAY, LOAD, record(RELAY)), cell(Cell.PLAIN, LOAD.ofPlainRelay(), record(PLAIN.late(300))));
        JsonNode json = Json.parse(Json.text(lane)).path("latencyRatios");
        assertThat(json).hasSize(3);
        JsonNode p50 = json.path(0);
        assertThat(p50.path("messagesPerSecond").asDouble(0)).isEqualTo(20_000);
        assertThat(p50.path("percentile").asDouble(0)).isEqualTo(50);
        assertThat(p50.path("nanos").asDouble(0)).isBetween(59_900.0, 60_100.0);
        assertThat(p50.path("plainRelayNanos").asDouble(0)).isBetween(39_900.0, 40_100.0);
        assertThat(p50.path("ratio").asDouble(0)).isBetween(1.49, 1.51);
        assertThat(p50.path("leftOut")).isEmpty();
        assertThat(json.path(1).path("ratio").isNull()).isTrue();
        assertThat(json.path(1).path("leftOut").path(0).asString("")).isEqualTo("own_lateness");
        LaneResult read = Json.read(Json.parse(Json.text(lane)), LaneResult.class);
        assertThat(read.latencyRatios()).hasToString(lane.latencyRatios().toString());
    }

    private static void expect(LeftOut reason, List<LatencyRatio> ratios) {
        assertThat(ratios).hasSize(3).allSatisfy(ratio -> {
            assertThat(ratio.leftOut()).containsExactly(reason);
            assertThat(ratio.ratio()).isNaN();
        });
    }

    private static List<LatencyRatio> ratios(RunRecord relay, RunRecord plain) {
        return loopback(cell(Cell.RELAY, LOAD, relay), cell(Cell.PLAIN, LOAD.ofPlainRelay(), plain))
                .latencyRatios();
    }

    private static RunRecord record(Given given) {
        return LoadRuns.record(LOAD, SECOND, 1, given);
    }

    private static Cell cell(String contestant, Load load, RunRecord... runs) {
        return new Cell(contestant, load, List.of(runs));
    }

    private static LaneResult loopback(Cell... cells) {
        return new LaneResult("loopback", LaneKind.LOOPBACK, false, null, null, Places.NEAR, List.of(cells));
    }
}
