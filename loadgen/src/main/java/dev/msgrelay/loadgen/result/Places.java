package dev.msgrelay.loadgen.result;

/** On which side of the lane's link publishers and subscribers are; the relay is always near. */
public record Places(Place publishers, Place subscribers) {
    /** Everything on the relay's side. */
    public static final Places NEAR = new Places(Place.NEAR, Place.NEAR);

    /** A side of the link. */
    public enum Place {
        /** With the relay. */
        NEAR,
        /** Across the link. */
        FAR
    }
}
