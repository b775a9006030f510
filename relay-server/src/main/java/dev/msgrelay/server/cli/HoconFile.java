package dev.msgrelay.server.cli;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigValue;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;

/** Reads a file of HOCON. An error is reported in one line, with file and line. */
public final class HoconFile {
    private HoconFile() {}

    /**
     * Reads a file.
     *
     * @param reader turns the keys into a result; the parser's exceptions that it throws are reported with their place
     * @throws IllegalArgumentException the file cannot be read, is no HOCON, or is wrong for the reader
     */
    public static <T> T read(Path path, Function<ConfigObject, T> reader) {
        HoconSource source = new HoconSource();
        try {
            return reader.apply(source.read(path).resolve().root());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(describe(path, source, e), e);
        } catch (StackOverflowError e) {
            // The library recurses over sections, keys and values alike.
            throw new IllegalArgumentException(
                    path + ": too many sections, words of a key or lists within one another", e);
        }
    }

    /** An error about a value, with its file and line. */
    public static IllegalArgumentException wrong(ConfigValue value, String what) {
        return new IllegalArgumentException(where(value) + ": " + what);
    }

    /** The text of a value as it is written: 007 is not 7, 1.10 not 1.1. Null: it is no single value. */
    public static String text(ConfigValue value) {
        return switch (value.valueType()) {
            case STRING, NUMBER, BOOLEAN -> value.atKey("text").getString("text");
            case OBJECT, LIST, NULL -> null;
        };
    }

    public static String where(ConfigValue value) {
        return where(value.origin());
    }

    private static String where(ConfigOrigin origin) {
        return file(origin) + (origin.lineNumber() < 0 ? "" : ":" + origin.lineNumber());
    }

    /** The file of an origin, whose description may have line numbers behind it. */
    private static String file(ConfigOrigin origin) {
        return origin.description().replaceFirst(": \\d+(-\\d+)?$", "");
    }

    /** The parser's error in one line with its place. The content of a line that may hold a secret is not shown. */
    private static String describe(Path path, HoconSource source, ConfigException e) {
        ConfigOrigin origin = e.origin();
        if (origin == null) {
            return path + ": " + oneLine(e.getMessage());
        }
        String line = source.line(file(origin), origin.lineNumber()).toLowerCase(Locale.ROOT);
        boolean secret = line.contains("token") || line.contains("password") || line.contains("secret");
        // Quotes of the parser are left out: the file may be the wrong one, such as a private key.
        String what = oneLine(e.getMessage());
        if (e instanceof ConfigException.Parse) {
            what = what.replaceAll("'.*'", "(not shown)");
        }
        String place = origin.description() + ": ";
        return where(origin) + ": "
                + (secret
                        ? "this line cannot be understood; it may hold a secret and is not shown"
                        : what.startsWith(place) ? what.substring(place.length()) : what);
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s*[\\r\\n]+\\s*", " ");
    }
}
