package dev.msgrelay.loadgen.shootout;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Bytes of the reads and writes with which ceilings are measured: one whole segment of loopback, which is the best or
 * nearly so, until others have been tried. One thread owns it.
 */
final class CeilingSizes {
    /** What a packet over Linux' loopback carries (MTU 65,536, but no IP packet is longer than 65,535). */
    private static final int SEGMENT = 65_483;

    private static final List<Integer> ALL = List.of(SEGMENT, 2 * SEGMENT, 4 * SEGMENT, 65_536, 262_144);

    /** So many sizes are tried. */
    static final int TRIED = 5;

    private final Map<Step, Best> best = new HashMap<>();

    private record Best(int size, double rate) {}

    static List<Integer> all() {
        return ALL;
    }

    /** One size was tried. */
    void tried(Step ceiling, int size, double rate) {
        best.merge(ceiling, new Best(size, rate), (a, b) -> a.rate() >= b.rate() ? a : b);
    }

    /** The best that was tried, or the usual one. */
    int of(Step ceiling) {
        Best known = best.get(ceiling);
        return known == null || known.rate() == 0 ? SEGMENT : known.size();
    }
}
