package dev.msgrelay.loadgen.run;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.OptBoolean;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.ShortText;
import java.util.Arrays;
import java.util.Locale;

/**
 * What publishers and subscribers are.
 *
 * @param kind whose code they run
 * @param acks up to where publishers keep every message
 * @param wanted the types that subscribers choose
 * @param churn connections a second that come and go beside the others
 * @param ports of the relay that are used beside the plain ones, or instead; results from before there were any do not tell
 * @param storm visitors that come at once, once a second, and leave without a word; older results do not tell
 */
public record Clients(
        Kind kind,
        Ack acks,
        TypeRanges wanted,
        int churn,

        @JacksonInject(value = "ports", useInput = OptBoolean.TRUE, optional = OptBoolean.TRUE)
        Ports ports,

        @JacksonInject(value = "storm", useInput = OptBoolean.TRUE, optional = OptBoolean.TRUE)
        Integer storm) {
    /** Loadgen's own, which want everything, and nobody beside them. */
    public static final Clients RAW = of(Kind.RAW);

    /** Whose code they run. */
    public enum Kind {
        /** Loadgen's own: plain connections, large writes, every message checked. */
        RAW,
        /** The publishers and subscribers of module relay-client, which say HELLO: what users use. */
        LIBRARY;

        /** As on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What acknowledgements publishers ask for: until then they keep each message. */
    public enum Ack {
        NONE(null),
        STREAM(Level.STREAM),
        WRITTEN(Level.WRITTEN),
        FORCED(Level.FORCED);

        private final Level level;

        Ack(Level level) {
            this.level = level;
        }

        /** Results from before there were levels have true and false. */
        @JsonCreator
        static Ack of(String text) {
            return switch (text) {
                case "false" -> NONE;
                case "true" -> STREAM;
                default ->
                    Arrays.stream(values())
                            .filter(one -> one.toString().equals(text))
                            .findFirst()
                            .orElseThrow(() -> new IllegalArgumentException(
                                    "'" + text + "' is none of " + Arrays.toString(values())));
            };
        }

        /** Null where they ask for none. */
        Level level() {
            return level;
        }

        public boolean isAsked() {
            return level != null;
        }

        /** Whether only a relay with a journal gives it. */
        public boolean needsJournal() {
            return level == Level.WRITTEN || level == Level.FORCED;
        }

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
        storm = storm == null ? 0 : storm;
    }

    /** Over plain connections. */
    public Clients(Kind kind, Ack acks, TypeRanges wanted, int churn) {
        this(kind, acks, wanted, churn, Ports.PLAIN, 0);
    }

    /** The same at these ports. */
    public Clients withPorts(Ports newPorts) {
        return new Clients(kind, acks, wanted, churn, newPorts, storm);
    }

    /** The same with these acknowledgements. */
    public Clients withAcks(Ack newAcks) {
        return new Clients(kind, newAcks, wanted, churn, ports, storm);
    }

    /** The same with so many that come at once. */
    public Clients withStorm(int newStorm) {
        return new Clients(kind, acks, wanted, churn, ports, newStorm);
    }

    /** Those of a kind, without anything else. */
    public static Clients of(Kind kind) {
        return new Clients(kind, Ack.NONE, TypeRanges.ALL, 0);
    }

    /** Publisher ids of those who come and go: one for a visit at a time, one for every other visitor of a storm. */
    public int visitingPublishers() {
        return (churn > 0 ? 1 : 0) + (storm + 1) / 2;
    }

    /** For people: what is unusual about them, each with a comma before it; empty where nothing is. */
    public String text() {
        return switch (kind) {
                    case RAW -> "";
                    case LIBRARY -> ", relay-client" + acknowledgements();
                }
                + (wanted.isAll() ? "" : ", subscribed to types " + wanted)
                + (ports.tls() ? ", TLS" : "")
                + (churn == 0 ? "" : ", " + ShortText.counted(churn, "connection") + "/s come and go")
                + (storm == 0 ? "" : ", storms of " + storm + " connections")
                + (ports.handshakes() == 0 ? "" : ", " + ShortText.counted(ports.handshakes(), "TLS handshake") + "/s")
                + (ports.scrapes() == 0 ? "" : ", page open, " + ShortText.counted(ports.scrapes(), "scrape") + "/s");
    }

    private String acknowledgements() {
        return switch (acks) {
            case NONE -> "";
            case STREAM -> " with acknowledgements";
            default -> ", acknowledged when " + acks;
        };
    }
}
