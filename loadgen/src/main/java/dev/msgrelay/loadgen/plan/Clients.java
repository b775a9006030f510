package dev.msgrelay.loadgen.plan;

import dev.msgrelay.protocol.Level;
import java.util.Locale;

/** The kind of clients that publish and subscribe. */
public record Clients(Kind kind, Ack acks, boolean tls) {
    public static final Clients RAW = new Clients(Kind.RAW, Ack.NONE, false);

    public enum Kind {
        /** Loadgen's own clients: connections without HELLO, large writes, and a check of every message. */
        RAW,
        /** The publishers and subscribers of module relay-client, as applications use them. They send HELLO. */
        LIBRARY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The acknowledgements that publishers ask for. A publisher keeps each message until its acknowledgement. */
    public enum Ack {
        NONE(null),
        STREAM(Level.STREAM),
        WRITTEN(Level.WRITTEN),
        FORCED(Level.FORCED);

        private final Level level;

        Ack(Level level) {
            this.level = level;
        }

        public Level level() {
            return level;
        }

        public boolean isAsked() {
            return level != null;
        }

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

    /** Describes clients that differ from the default, for people; each part starts with a comma. */
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
