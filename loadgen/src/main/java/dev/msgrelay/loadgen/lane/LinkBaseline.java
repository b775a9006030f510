package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;

/** What a lane gives to one TCP connection without any relay: what a result through one is set against. */
public final class LinkBaseline {
    /** What the plain sender sends: 100-byte bodies that are counted. */
    public static final Load LOAD = Load.oneToOne(100).withCheck(Check.NONE);

    /** The plain sender, with writes as iperf3's. */
    public static final Contestant SENDER = Contestants.direct(128 << 10);

    /**
     * What iperf3 got.
     *
     * @param bytesPerSecond that arrived; 0 where there is no figure
     * @param retransmits segments that were sent more than once
     * @param reason why there is no figure, one line; null where there is one
     */
    public record Iperf(double bytesPerSecond, long retransmits, String reason) {
        static Iperf without(String reason) {
            return new Iperf(0, 0, reason);
        }

        public boolean available() {
            return reason == null;
        }
    }

    private LinkBaseline() {}

    /**
     * A plain sender at one end and a plain receiver at the other, with our own workers: pre-packed frames of 100-byte
     * bodies, counted and not checked. {@code throughput().out()} of the result is the figure.
     *
     * @param from where the sender is
     * @throws RunException a process failed, or nothing arrived at all
     */
    public static RunResult raw(Lane lane, End from, Timing timing, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        return new LoadRun(SENDER, placement(lane, from), LOAD.withUnix(lane.unix()), timing, observer).run();
    }

    /** Sender and receiver at the two ends. */
    public static Placement placement(Lane lane, End from) {
        Site sender = lane.at(from);
        return new Placement(sender, sender, lane.at(from.other()));
    }

    /**
     * iperf3 through the same pair, where it is installed and both ends are on this host; one TCP connection. It counts
     * whole seconds: times are rounded up.
     *
     * @param from where the sender is
     */
    public static Iperf iperf3(Lane lane, End from, Timing timing) throws InterruptedException {
        if (lane.unix()) {
            return Iperf.without("iperf3 knows no Unix sockets");
        }
        if (!(lane.at(from) instanceof HostSite client) || !(lane.at(from.other()) instanceof HostSite server)) {
            return Iperf.without("iperf3 is run between sites of this host only");
        }
        String reason = Iperf3.whyNot(new Subprocess());
        if (reason != null) {
            return Iperf.without(reason);
        }
        try {
            return new Iperf3(client, server, timing).run();
        } catch (IOException e) {
            return Iperf.without(e.getMessage());
        }
    }
}
