package dev.msgrelay.loadgen.run;

import dev.msgrelay.protocol.TypeRanges;
import java.util.Locale;

/**
 * What publishers and subscribers are.
 *
 * @param kind whose code they run
 * @param acks whether publishers keep every message until it is acknowledged
 * @param wanted the types that subscribers choose
 * @param churn connections a second that come and go beside the others
 */
public record Clients(Kind kind, boolean acks, TypeRanges wanted, int churn) {
    /** Loadgen's own, which want everything, and nobody beside them. */
    public static final Clients RAW = of(Kind.RAW);

    /** Whose code they run. */
    public enum Kind {
        /** Loadgen's own: plain connections, large writes, every message checked. */
        RAW,
        /** The publishers and subscribers of module relay-client, which say HELLO: what users use. */
        LIBRARY,
        /** Programs in C that write prepared frames, and count bytes without looking at them. */
        C;

        /** As on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Those of a kind, without anything else. */
    public static Clients of(Kind kind) {
        return new Clients(kind, false, TypeRanges.ALL, 0);
    }

    /** For people: what is unusual about them, each with a comma before it; empty where nothing is. */
    public String text() {
        return switch (kind) {
                    case RAW -> "";
                    case LIBRARY -> acks ? ", relay-client with acknowledgements" : ", relay-client";
                    case C -> ", clients in C";
                }
                + (wanted.isAll() ? "" : ", subscribed to types " + wanted)
                + (churn == 0 ? "" : ", " + churn + " connections/s come and go");
    }
}
