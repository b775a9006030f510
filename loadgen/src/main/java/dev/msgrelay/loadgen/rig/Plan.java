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
 * A cell of an experiment: a contestant under a load on a lane.
 *
 * @param name name for people, on progress lines and before failures
 * @param group name of a lane or a contestant, whose failure concerns all plans of the group
 * @param link ceilings of the link by arithmetic; null without a link, or without its speed
 */
public record Plan(
        String name,
        String group,
        Contestant contestant,
        Placement placement,
        Places places,
        Ceilings link,
        Load load,
        Timing timing,
        Rig rig) {
    /** Time of a run for starting and ending processes. */
    private static final Duration OVERHEAD = Duration.ofSeconds(3);
    /** Time for each process beyond one publisher and one subscriber. */
    private static final Duration PROCESS = Duration.ofMillis(250);

    public static Plan here(String name, Contestant contestant, Load load, Timing timing, Rig rig) {
        return new Plan(name, name, contestant, Placement.HERE, Places.NEAR, null, load, timing, rig);
    }

    public Duration estimate() {
        int further = Math.max(0, load.publisherProcesses() + load.subscriberProcesses() - 2);
        return timing.warmup().plus(timing.measured()).plus(OVERHEAD).plus(PROCESS.multipliedBy(further));
    }

    /** The part of the link's ceilings that a run used, between these endpoints. */
    LinkShare linkShare(RunRecord.Throughput passed, Contestant.Started started) {
        // The near end of an emulated link has an address like that of another host.
        boolean throughIn =
                started.publish() != null && !started.publish().isWithinHost() && places.publishers() == Place.FAR;
        boolean throughOut = !started.subscribe().isWithinHost();
        if (link == null) {
            return new LinkShare(Double.NaN, Double.NaN, throughIn, throughOut);
        }
        Share share = Share.of(0, passed, link, places, load.subscribers());
        return new LinkShare(share.in(), share.out(), throughIn, throughOut);
    }
}
