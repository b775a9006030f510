package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.Timing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The two ceilings, with every size that is tried for them. */
public final class Ceilings {
    private static final int[] WHOLE_SEGMENTS = {1, 2, 4};
    private static final int[] ROUND_SIZES = {65_536, 262_144};

    private Ceilings() {}

    /** Pre-packed frames straight to one subscriber that only counts, for each size of a write. */
    public static List<Contender> direct(Load load, Timing timing) throws IOException {
        List<Contender> all = new ArrayList<>();
        for (int size : sizes()) {
            all.add(new Contender(
                    Cases.CEILING + "direct " + size,
                    Middles.direct(size),
                    load.withCounts(1, 1).withVerify(false),
                    timing));
        }
        return all;
    }

    /** The plain relay, for each size of its buffer; with one publisher and as many subscribers as {@code load}. */
    public static List<Contender> plain(Load load, Timing timing) throws IOException {
        List<Contender> all = new ArrayList<>();
        for (int size : sizes()) {
            all.add(new Contender(
                    Cases.CEILING + "plain relay " + size,
                    Middles.plain(size),
                    load.withCounts(1, load.subscribers()),
                    timing));
        }
        return all;
    }

    private static List<Integer> sizes() throws IOException {
        int segment = PathMtu.loopbackSegment();
        List<Integer> sizes = new ArrayList<>();
        for (int segments : WHOLE_SEGMENTS) {
            sizes.add(segments * segment);
        }
        for (int size : ROUND_SIZES) {
            sizes.add(size);
        }
        return sizes;
    }
}
