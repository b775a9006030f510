package dev.msgrelay.loadgen.result;

import java.util.Locale;

/** On which side of the lane's link publishers and subscribers are; the relay is always near. */
public record Places(Place publishers, Place subscribers) {
    /** Everything on the relay's side. */
    public static final Places NEAR = new Places(Place.NEAR, Place.NEAR);

    /** Whether somebody is across a link, be anything known of it or not. */
    public boolean isApart() {
        return publishers == Place.FAR || subscribers == Place.FAR;
    }

    /** "publishers near, subscribers far". */
    @Override
    public String toString() {
        return "publishers " + publishers + ", subscribers " + subscribers;
    }

    /** A side of the link. */
    public enum Place {
        /** With the relay, in processes of their own; over TCP where its lane is not one of Unix sockets. */
        NEAR,
        /** The same, over the relay's Unix socket although the lane is a link. */
        NEAR_UNIX,
        /** Threads of the relay's own process. */
        WITHIN,
        /** Across the link. */
        FAR;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }
}
