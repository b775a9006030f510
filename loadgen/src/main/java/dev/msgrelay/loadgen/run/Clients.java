package dev.msgrelay.loadgen.run;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.OptBoolean;
import dev.msgrelay.protocol.TypeRanges;
import java.util.Locale;

/**
 * What publishers and subscribers are.
 *
 * @param kind whose code they run
 * @param acks whether publishers keep every message until it is acknowledged
 * @param wanted the types that subscribers choose
 * @param churn connections a second that come and go beside the others
 * @param ports of the relay that are used beside the plain ones, or instead; results from before there were any do not tell
 */
public record Clients(
        Kind kind,
        boolean acks,
        TypeRanges wanted,
        int churn,

        @JacksonInject(value = "ports", useInput = OptBoolean.TRUE, optional = OptBoolean.TRUE)
        Ports ports) {
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

    /**
     * Which of the relay's other ports are used.
     *
     * @param tls whether publishers and subscribers speak TLS
     * @param handshakes connections a second that shake hands at the TLS port, and leave
     * @param scrapes of the admin port's metrics a second, while its page's events are read
     */
    public record Ports(boolean tls, int handshakes, int scrapes) {
        public static final Ports PLAIN = new Ports(false, 0, 0);
    }

    public Clients {
        ports = ports == null ? Ports.PLAIN : ports;
    }

    /** Over plain connections. */
    public Clients(Kind kind, boolean acks, TypeRanges wanted, int churn) {
        this(kind, acks, wanted, churn, Ports.PLAIN);
    }

    /** The same at these ports. */
    public Clients withPorts(Ports newPorts) {
        return new Clients(kind, acks, wanted, churn, newPorts);
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
                + (ports.tls() ? ", TLS" : "")
                + (churn == 0 ? "" : ", " + churn + " connections/s come and go")
                + (ports.handshakes() == 0 ? "" : ", " + ports.handshakes() + " TLS handshakes/s")
                + (ports.scrapes() == 0 ? "" : ", page open, " + ports.scrapes() + " scrapes/s");
    }
}
