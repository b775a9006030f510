package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.experiment.ShootoutRun.Equipment;
import dev.msgrelay.loadgen.experiment.ShootoutRun.Shootout;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.lane.Iperf3;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.RemoteRelay;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.loadgen.rig.RunObserver;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What tests of whole shootouts share: a machine that is none, and lanes on paper. */
abstract class FakeShootout {
    static final Timing SECOND = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    static final Load ONE = Load.oneToOne(100);
    static final Contestant RELAY = new RemoteRelay(
            Endpoint.parse("127.0.0.1:2"),
            Endpoint.parse("127.0.0.1:1"),
            Policy.BACKPRESSURE,
            Access.OPEN,
            Duration.ofSeconds(5),
            null);
    static final Given USUAL = new Given(1_000_000, 1_000);

    final List<String> notices = new ArrayList<>();
    final List<Results> kept = new ArrayList<>();
    final List<String> closed = new ArrayList<>();

    Ending.How endingAtClose;

    ShootoutRun shootout(FakeRig rig, Shootout shootout) {
        return shootout(rig, shootout, this::way, kept::add);
    }

    ShootoutRun shootout(Rig rig, Shootout shootout, ShootoutRun.Opener opener, ShootoutRun.Kept results) {
        RunObserver listener = new RunObserver() {
            @Override
            public void notice(String line) {
                notices.add(line);
            }
        };
        return new ShootoutRun(
                shootout,
                new Equipment(
                        rig, opener, (lane, timing) -> new Iperf3.Result(120e6, "", "Ignoring nonsense TCP MSS 0")),
                () -> 0,
                () -> false,
                listener,
                results,
                Results.of(Origin.of(Instant.EPOCH, "shootout", List.of()), List.of()));
    }

    static Shootout settings(int rounds, LaneKind... kinds) {
        return new Shootout(Stream.of(kinds).map(LaneSpec::of).toList(), List.of(ONE), rounds, SECOND, false, false);
    }

    static List<LaneResult> lanes(ShootoutRun run) {
        return run.results().lanes();
    }

    private void closes(String lane) {
        closed.add(lane + (Thread.currentThread().isInterrupted() ? " at once" : ""));
        endingAtClose =
                kept.isEmpty() ? null : kept.get(kept.size() - 1).ending().how();
    }

    /** Lanes with links as they are on paper; loopback has none. */
    Way way(LaneSpec spec) {
        Site near = new Site(spec.kind() + " near", List.of(), "127.0.0.1");
        Site far = new Site(spec.kind() + " far", List.of(), "127.0.0.1");
        boolean emulated = spec.isEmulated();
        String name = spec.kind().title();
        Link link =
                emulated ? new Link(LinkSpeed.parse(name.replace("gbe", "g")), SegmentFormat.usual(spec.mtu())) : null;
        Lane lane = new Lane(spec, near, emulated ? far : near, link, () -> closes(name));
        return new Way(lane, emulated ? new Places(Place.NEAR, Place.FAR) : Places.NEAR, RELAY);
    }
}
