package dev.msgrelay.protocol;

import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Stream;

/** The progress of a message, by the end that it survives. Each level includes those before it. */
public enum Level {
    /** The message is in the stream: subscribers get it. Only the relay's memory has it. */
    STREAM(0),
    /**
     * The relay's journal has handed the message to the operating system: it survives the end of the relay's process.
     */
    WRITTEN(1),
    /** The message is on the disk: it survives the end of the machine. */
    FORCED(2);

    private static final Level[] BY_CODE = values();

    private final int code;

    Level(int code) {
        this.code = code;
    }

    /** The code on the wire (uint8). */
    public int code() {
        return code;
    }

    /** The level with this code; null: there is none. */
    public static Level ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** The name on a command line, such as {@code forced}. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * A level by its name on a command line; upper and lower case are the same.
     *
     * @throws IllegalArgumentException there is no such level; the message has the text and the accepted words
     */
    public static Level ofFlag(String text) {
        String flag = text.strip().toLowerCase(Locale.ROOT);
        for (Level level : BY_CODE) {
            if (level.flag().equals(flag)) {
                return level;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is no level: stream, written or forced");
    }

    /** Whether {@link #ofFlag} takes this text. */
    public static boolean isFlag(String text) {
        return Stream.of(BY_CODE).anyMatch(level -> level.flag().equalsIgnoreCase(text.strip()));
    }

    /** The levels by their names on a command line, for help texts and completions. */
    public static final class Words implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(values()).map(Level::flag).iterator();
        }
    }
}
