package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord;
import java.time.Duration;

/**
 * The plan of a run: a contestant with a load on a lane.
 *
 * @param group the plan's lane or contestant; after repeated failures, no other plan of the same group is run
 * @param linkCeilings computed ceilings of the link; null without a link, or if its speed is unknown
 */
public record Plan(
        String name,
        String group,
        Contestant contestant,
        Placement placement,
        Places places,
        Ceilings linkCeilings,
        Load load,
        Timing timing,
        Rig rig) {
    /** Additional time of a run, in which processes start and end. */
    private static final Duration OVERHEAD = Duration.ofSeconds(3);
    /** Additional time for each process beyond one publisher and one subscriber. */
    private static final Duration PROCESS = Duration.ofMillis(250);

    public static Plan here(String name, Contestant contestant, Load load, Timing timing, Rig rig) {
        return new Plan(name, name, contestant, Placement.HERE, Places.NEAR, null, load, timing, rig);
    }

    public Duration estimate() {
        int further = Math.max(0, load.publisherProcesses() + load.subscriberProcesses() - 2);
        return timing.warmup().plus(timing.measured()).plus(OVERHEAD).plus(PROCESS.multipliedBy(further));
    }

    LinkShare linkShare(RunRecord.Throughput passed, Contestant.Started started) {
        // An emulated link's near end looks like another host by its address, so {@code isWithinHost} alone does not
        // decide.
        boolean throughIn =
                started.publish() != null && !started.publish().isWithinHost() && places.publishers() == Place.FAR;
        boolean throughOut = !started.subscribe().isWithinHost();
        if (linkCeilings == null) {
            return new LinkShare(Double.NaN, Double.NaN, throughIn, throughOut);
        }
        Share share = Share.of(0, passed, linkCeilings, places, load.subscribers());
        return new LinkShare(share.in(), share.out(), throughIn, throughOut);
    }
}
