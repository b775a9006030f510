package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.SlowReaders;
import dev.msgrelay.loadgen.run.Timing;

/**
 * Speeds of a machine without a relay: one run of one size, as whatever is set against it has one. The best of several tries
 * would be lucky more often than not, and every relay short of it.
 */
public final class CeilingCells {
    /** Start of the names of all ceilings. */
    public static final String CEILING = "ceiling: ";

    /**
     * Bytes of a write, and of the plain relay's buffer: what a packet over Linux' loopback carries (MTU 65,536, but no IP packet
     * is longer than 65,535).
     */
    public static final int SIZE = 65_483;

    private CeilingCells() {}

    /** Pre-packed frames straight to one subscriber that only counts. */
    public static LoadCell direct(Load load, Timing timing, LoadRig rig) {
        Load one = load.withCounts(1, 1).withCheck(Check.NONE).withRawClients();
        return LoadCell.here(CEILING + "direct", Contestants.direct(SIZE), one, timing, rig);
    }

    /** The plain relay, with one publisher and as many subscribers as {@code load}. */
    public static LoadCell plain(Load load, Timing timing, LoadRig rig) {
        Load one = load.withCounts(1, load.subscribers()).withRawClients().withSlow(SlowReaders.NONE);
        return LoadCell.here(CEILING + "plain relay", Contestants.plain(SIZE), one, timing, rig);
    }
}
