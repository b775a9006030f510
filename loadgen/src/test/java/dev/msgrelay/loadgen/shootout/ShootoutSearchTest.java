package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.page.HtmlWriter;
import dev.msgrelay.loadgen.report.ShootoutTable;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.view.ShootoutPage;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.SlowPolicy;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.shootout.FakeRig.Given;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Calibrate;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Door;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.SearchSettings;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Sides;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Yardsticks;
import dev.msgrelay.loadgen.worker.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A whole search on a machine that is none. */
class ShootoutSearchTest {
    private static final LoadPoint ONE = new LoadPoint(BodySizes.fixed(100), 1, 1, 0, 0, 1);
    private static final Middle RELAY = Middles.remote(Endpoint.parse("127.0.0.1:2"), Endpoint.parse("127.0.0.1:1"));

    private final List<Shootout> kept = new ArrayList<>();

    @Test
    void theHighestRateIsSearchedWithRunsAndConfirmed() throws Exception {
        FakeRig rig = new FakeRig((number, middle, placement, load) ->
                new Given(load.rate(), load.rate() <= 300_000 ? 1_000_000 : 20_000_000));
        ShootoutRun run = search(rig, LaneKind.GBE_1);
        run.run();
        MaxRate found = run.shootout().maxRates().get(0);
        assertThat(found.confirmed()).isTrue();
        assertThat(found.total()).isBetween(285_000L, 300_000L);
        assertThat(found.attempts()).hasSize(rig.runs.size());
        assertThat(found.attempts().get(0).rate()).as("a sixteenth of the link").isEqualTo(68_104);
        assertThat(found.attempts()).anySatisfy(one -> assertThat(one.failure()).contains("p99 20.0", "over 5.00 ms"));
        assertThat(kept.get(kept.size() - 1).maxRates()).containsExactly(found);
    }

    @Test
    void aRateThatIsFoundIsValidHoweverLateItsSendsWere() throws Exception {
        FakeRig rig = new FakeRig((number, middle, placement, load) ->
                new Given(load.rate(), load.rate() <= 100_000 ? 1_000_000 : 20_000_000, load.rate() / 100));
        ShootoutRun run = search(rig, LaneKind.LOOPBACK);
        run.run();
        assertThat(run.shootout().maxRates().get(0).confirmed()).isTrue();
        assertThat(run.shootout().lanes().get(0).cells())
                .flatExtracting(Cell::runs)
                .isNotEmpty()
                .allSatisfy(one -> {
                    assertThat(one.counts()).isTrue();
                    assertThat(one.note()).startsWith("the schedule was not kept: ");
                });
        assertThat(HtmlWriter.html(ShootoutPage.of(run.shootout())))
                .contains("left more than 1 ms late, which is within their latencies")
                .doesNotContain("FAIL");
        assertThat(ShootoutTable.of(run.shootout()))
                .contains("the schedule was not kept")
                .doesNotContain("FAIL");
    }

    private ShootoutRun search(FakeRig rig, LaneKind kind) {
        ShootoutSettings settings = new ShootoutSettings(
                List.of(LaneSpec.of(kind)),
                List.of(ONE),
                1,
                new Timing(Duration.ZERO, Duration.ofSeconds(1)),
                new Sides(End.NEAR, End.FAR, Door.TCP),
                new Yardsticks(Calibrate.IN_TURN, false),
                new SearchSettings(5_000_000, 40, Duration.ofMinutes(1).toNanos()));
        Equipment equipment = new Equipment(
                rig, spec -> FakeLane.of(spec, new ArrayList<>()), lane -> RELAY, SlowPolicy.BACKPRESSURE);
        ShootoutListener listener = new ShootoutListener() {
            @Override
            public void notice(String line) {}

            @Override
            public RunObserver begins(String where) {
                return RunObserver.NONE;
            }
        };
        return new ShootoutRun(settings, equipment, listener, kept::add, "test", List.of("loadgen"), List.of());
    }
}
