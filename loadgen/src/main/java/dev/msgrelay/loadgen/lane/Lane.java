package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.site.Site;

/** A lane that is open: two sites and what lies between them. Close it when its runs have ended. */
public interface Lane extends AutoCloseable {
    LaneSpec spec();

    Site near();

    /** The site across the link; the same as {@link #near} for loopback and Unix sockets. */
    Site far();

    /** What is known about the link; null for loopback and Unix sockets, which have no line rate. */
    Link link();

    /** For people and results; says "emulated" where it is. */
    default String label() {
        return spec().label();
    }

    /** Whether its runs use Unix sockets instead of TCP. */
    default boolean unix() {
        return spec().kind() == LaneKind.UNIX;
    }

    /** Whether there is a link between its two ends. */
    default boolean isApart() {
        return !near().equals(far());
    }

    default Site at(End end) {
        return end == End.NEAR ? near() : far();
    }

    /** The relay at the near end, and the others where they are wanted. */
    default Placement placement(End publishersAt, End subscribersAt) {
        return new Placement(near(), at(publishersAt), at(subscribersAt));
    }

    /** Nothing of it stays behind; takes a moment at most, and none where the thread is interrupted, as it then remains. */
    @Override
    void close();
}
