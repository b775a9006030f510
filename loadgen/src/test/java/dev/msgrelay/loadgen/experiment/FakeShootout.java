package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.experiment.ShootoutRun.Equipment;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.RemoteRelay;
import dev.msgrelay.loadgen.rig.RunObserver;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What tests of whole shootouts share: a machine that is none, and lanes on paper. */
abstract class FakeShootout {
    static final Timing SECOND = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    static final Load ONE = Load.oneToOne(100);
    static final Contestant RELAY =
            new RemoteRelay(Endpoint.parse("127.0.0.1:2"), Endpoint.parse("127.0.0.1:1"), Policy.BACKPRESSURE);
    static final Given USUAL = new Given(1_000_000, 1_000);

    final FakeMeter meter = new FakeMeter();
    final List<String> notices = new ArrayList<>();
    final List<Results> kept = new ArrayList<>();
    final List<String> closed = new ArrayList<>();

    /** What the results said when the last lane was closed. */
    Ending.How endingAtClose;

    ShootoutRun shootout(FakeRig rig, ShootoutSettings settings) {
        return shootout(rig, settings, this::lane, kept::add);
    }

    ShootoutRun shootout(LoadRig rig, ShootoutSettings settings, Equipment.Opener opener, ShootoutRun.Kept results) {
        Equipment equipment = new Equipment(
                rig, opener, lane -> RELAY, (lane, from, timing) -> new LinkBaseline.Iperf(120e6, 0, null));
        Listener listener = new Listener() {
            @Override
            public void notice(String line) {
                notices.add(line);
            }

            @Override
            public RunObserver begins(String where) {
                // Nothing that was measured before is fresh any more.
                meter.now += TimeUnit.SECONDS.toNanos(2);
                return RunObserver.NONE;
            }
        };
        return new ShootoutRun(
                settings,
                equipment,
                meter,
                listener,
                results,
                Origin.of(Instant.EPOCH, "shootout", List.of()),
                List.of());
    }

    static ShootoutSettings settings(LaneKind kind, int rounds, Yardsticks yardsticks, Load... loads) {
        List<LaneSpec> lanes = List.of(LaneSpec.of(kind));
        return new ShootoutSettings(lanes, List.of(loads), rounds, SECOND, sides(), yardsticks);
    }

    static ShootoutSettings settings(List<LaneKind> kinds, int rounds) {
        List<LaneSpec> specs = kinds.stream().map(LaneSpec::of).toList();
        return new ShootoutSettings(specs, List.of(ONE), rounds, SECOND, sides(), new Yardsticks(true, false));
    }

    static Sides sides() {
        return new Sides(End.NEAR, End.FAR, Door.TCP);
    }

    static List<LaneResult> lanes(ShootoutRun run) {
        return run.results().lanes();
    }

    static List<Integer> rounds(ShootoutRun run, int lane) {
        return lanes(run).get(lane).cells().get(0).runs().stream()
                .map(one -> one.moment().round())
                .toList();
    }

    private void closes(String lane) {
        closed.add(lane + (Thread.currentThread().isInterrupted() ? " at once" : ""));
        endingAtClose =
                kept.isEmpty() ? null : kept.get(kept.size() - 1).ending().how();
    }

    Lane lane(LaneSpec spec) {
        return FakeLane.of(spec, this::closes);
    }
}
