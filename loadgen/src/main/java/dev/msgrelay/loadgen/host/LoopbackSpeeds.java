package dev.msgrelay.loadgen.host;

/**
 * The throughput of a TCP connection over loopback, with two kinds of congestion control.
 *
 * @param other the congestion control that is compared with the host's default
 * @param byDefault bytes a second with the host's default
 * @param byOther bytes a second with {@code other}
 */
public record LoopbackSpeeds(String other, double byDefault, double byOther) {
    double ratio() {
        return byDefault / byOther;
    }
}
