package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LinkBaseline;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Timing;
import java.io.IOException;
import java.util.function.Function;

/**
 * What a shootout works with.
 *
 * @param opener opens lanes
 * @param relay the relay under test, for a lane
 * @param iperf3 measures what a link gives to it
 */
public record Equipment(LoadRig rig, Opener opener, Function<Lane, Contestant> relay, Iperf3 iperf3) {
    @FunctionalInterface
    public interface Opener {
        /**
         * Opens one.
         *
         * @throws IOException it cannot be had; nothing of it is left
         */
        Lane open(LaneSpec spec) throws IOException, InterruptedException;
    }

    /** As {@link LinkBaseline#iperf3}. */
    @FunctionalInterface
    public interface Iperf3 {
        /** @param from where the bytes come from */
        LinkBaseline.Iperf run(Lane lane, End from, Timing timing) throws InterruptedException;
    }
}
