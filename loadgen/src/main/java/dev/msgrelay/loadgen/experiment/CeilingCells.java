package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.host.PathMtu;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** What a machine can do without a relay, with every size of reads and writes that is tried for it. */
public final class CeilingCells {
    /** What the names of all ceilings start with. */
    public static final String CEILING = "ceiling: ";

    /** What a packet over Linux' loopback carries (MTU 65,536, but no IP packet is longer than 65,535). */
    private static final int USUAL_SEGMENT = 65_483;

    private CeilingCells() {}

    /** Pre-packed frames straight to one subscriber that only counts, for each size of a write. */
    public static List<LoadCell> direct(Load load, Timing timing, LoadRig rig) throws IOException {
        return cells(
                "direct ",
                Contestants::direct,
                load.withCounts(1, 1).withCheck(Check.NONE).withRawClients(),
                timing,
                rig);
    }

    /** The plain relay, for each size of its buffer; with one publisher and as many subscribers as {@code load}. */
    public static List<LoadCell> plain(Load load, Timing timing, LoadRig rig) throws IOException {
        return cells(
                "plain relay ",
                Contestants::plain,
                load.withCounts(1, load.subscribers()).withRawClients(),
                timing,
                rig);
    }

    private static List<LoadCell> cells(
            String name, IntFunction<Contestant> contestant, Load load, Timing timing, LoadRig rig) throws IOException {
        return sizes(PathMtu.loopbackSegment()).stream()
                .map(size -> LoadCell.here(CEILING + name + size, contestant.apply(size), load, timing, rig))
                .toList();
    }

    /** The sizes for a path whose segments are so large; the first is the best or nearly so. */
    public static List<Integer> sizes(int segment) {
        return List.of(segment, 2 * segment, 4 * segment, 65_536, 262_144);
    }

    /** As {@link #sizes}, of loopback as it usually is. */
    public static List<Integer> usualSizes() {
        return sizes(USUAL_SEGMENT);
    }

    /** The fastest first; those that did not come to their end are left out. */
    public static Stream<Run<RunResult>> best(List<Run<RunResult>> tries) {
        return tries.stream()
                .filter(Run::isWhole)
                .sorted(Comparator.<Run<RunResult>>comparingDouble(LoadCell::rate)
                        .reversed());
    }
}
