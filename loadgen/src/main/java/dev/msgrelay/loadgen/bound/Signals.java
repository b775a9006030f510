package dev.msgrelay.loadgen.bound;

/**
 * All that a run is classified from.
 *
 * @param rates what passed
 * @param sampled CPU, queues
 * @param holds what the relay says; null where it says nothing
 * @param link the part of the link that was used
 */
public record Signals(Rates rates, Sampled sampled, RelayHolds holds, LinkShare link) {
    /** With what the link could have given, see {@link LinkShare}: known to who knows the link. */
    public Signals withLink(double in, double out) {
        return new Signals(rates, sampled, holds, link.of(in, out));
    }
}
