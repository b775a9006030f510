package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import java.io.IOException;

/** What a lane gives to one TCP connection without any relay: what a result through one is set against. */
public final class LinkBaseline {
    private static final int BODY = 100;

    /** Bytes of a write: iperf3's, and four of loopback's segments all but a few bytes. */
    private static final int WRITE_SIZE = 128 << 10;

    private LinkBaseline() {}

    /**
     * A plain sender at one end and a plain receiver at the other, with our own workers: pre-packed frames of 100-byte
     * bodies, counted and not checked.
     *
     * @param from where the sender is
     * @throws RunException nothing arrived, or a process failed
     */
    public static RunResult raw(Lane lane, End from, Timing timing)
            throws IOException, RunException, InterruptedException {
        Load load = Load.oneToOne(BODY).withVerify(false).withUnix(lane.unix());
        RunResult result = new LoadRun(
                        Middles.direct(WRITE_SIZE),
                        new Placement(lane.at(from), lane.at(from), lane.at(from.other())),
                        load,
                        timing,
                        RunObserver.NONE)
                .run();
        if (result.received().traffic().messages() == 0) {
            throw new RunException("nothing arrived at " + lane.at(from.other()).name());
        }
        return result;
    }
}
