package dev.msgrelay.loadgen.host;

/**
 * The speed of plain streams through this host's loopback, by two kinds of TCP congestion control.
 *
 * @param other the kind that the host's default is set against
 * @param byDefault bytes a second by the host's default
 * @param byOther bytes a second by the other one
 */
public record LoopbackSpeeds(String other, double byDefault, double byOther) {
    /** The part of the other speed that the default reaches. */
    double ratio() {
        return byDefault / byOther;
    }
}
