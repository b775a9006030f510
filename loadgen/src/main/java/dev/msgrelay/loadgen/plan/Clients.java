package dev.msgrelay.loadgen.plan;

import dev.msgrelay.protocol.Level;
import java.util.Locale;

/**
 * The implementation of publishers and subscribers.
 *
 * @param acks acknowledgement until which publishers keep a message
 */
public record Clients(Kind kind, Ack acks, boolean tls) {
    /** Loadgen's own clients, without acknowledgements. */
    public static final Clients RAW = new Clients(Kind.RAW, Ack.NONE, false);

    public enum Kind {
        /** Loadgen's own: plain connections, large writes, every message checked. */
        RAW,
        /** The publishers and subscribers of module relay-client, which say HELLO: what users use. */
        LIBRARY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Acknowledgements that publishers ask for: until then they keep each message. */
    public enum Ack {
        NONE(null),
        STREAM(Level.STREAM),
        WRITTEN(Level.WRITTEN),
        FORCED(Level.FORCED);

        private final Level level;

        Ack(Level level) {
            this.level = level;
        }

        /** The level in the protocol; null of {@link #NONE}. */
        public Level level() {
            return level;
        }

        public boolean isAsked() {
            return level != null;
        }

        /** Whether only a relay with a journal gives it. */
        public boolean needsJournal() {
            return level == Level.WRITTEN || level == Level.FORCED;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Clients withTls() {
        return new Clients(Kind.LIBRARY, acks, true);
    }

    public Clients ofLibrary() {
        return new Clients(Kind.LIBRARY, acks, tls);
    }

    /** Words for people about clients that are not the usual ones, each after a comma. */
    public String text() {
        return (kind == Kind.RAW ? "" : ", relay-client" + acknowledgements()) + (tls ? ", TLS" : "");
    }

    private String acknowledgements() {
        return switch (acks) {
            case NONE -> "";
            case STREAM -> " with acknowledgements";
            default -> ", acknowledged when " + acks;
        };
    }
}
