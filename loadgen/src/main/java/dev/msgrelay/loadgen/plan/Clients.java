package dev.msgrelay.loadgen.plan;

import dev.msgrelay.protocol.Level;
import java.util.Locale;

/**
 * The code of publishers and subscribers.
 *
 * @param acks up to where publishers keep every message
 */
public record Clients(Kind kind, Ack acks, boolean tls) {
    /** Loadgen's own, which want everything. */
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

        /** Null where they ask for none. */
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

    /** For people: what is unusual about them, each with a comma before it; empty where nothing is. */
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
