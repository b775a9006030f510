package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.host.Site;

/**
 * A lane that is open: two sites and what lies between them. Close it when its runs have ended.
 *
 * @param far the site across the link; the same as {@code near} for loopback and Unix sockets
 * @param link what is known about it; null for loopback and Unix sockets, which have no line rate, and where nobody knows
 * @param end takes away what was built or started for it; takes a moment at most, and none where the thread is interrupted,
 *     as it then remains
 */
public record Lane(LaneSpec spec, Site near, Site far, Link link, Runnable end) implements AutoCloseable {
    /** Between sites that exist anyway: they belong to whoever made them. */
    public static Lane between(LaneSpec spec, Site near, Site far, Link link) {
        return new Lane(spec, near, far, link, () -> {});
    }

    public String label() {
        return spec.label();
    }

    /** Whether its runs use Unix sockets instead of TCP. */
    public boolean unix() {
        return spec.kind() == LaneKind.UNIX;
    }

    /** The relay and publishers at the near end, subscribers at the far one. */
    public Placement placement() {
        return new Placement(near, near, far);
    }

    @Override
    public void close() {
        end.run();
    }
}
