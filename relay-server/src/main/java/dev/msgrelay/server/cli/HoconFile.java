package dev.msgrelay.server.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigValue;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;

/** Reads a file of HOCON. Whatever is wrong with it is told in one line, with file and line. */
public final class HoconFile {
    private HoconFile() {}

    /**
     * Reads it.
     *
     * @param reader makes of its keys what they stand for; what it throws of the parser's exceptions is told with its place
     * @throws IllegalArgumentException it cannot be read, is no HOCON, or is not what the reader wants
     */
    public static <T> T read(Path path, Function<ConfigObject, T> reader) {
        HoconSource source = new HoconSource();
        try {
            Config config = source.read(path);
            HoconSize.check(config.root());
            return reader.apply(config.resolve().root());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(text(path, source, e), e);
        }
    }

    /** What is wrong with a value of a file, with its place. */
    public static IllegalArgumentException wrong(ConfigValue value, String what) {
        return new IllegalArgumentException(where(value) + ": " + what);
    }

    /** File and line of a value. */
    public static String where(ConfigValue value) {
        return where(value.origin());
    }

    private static String where(ConfigOrigin origin) {
        return origin.lineNumber() < 0 ? file(origin) : file(origin) + ":" + origin.lineNumber();
    }

    /** A description is the file, and the lines where there are some. */
    private static String file(ConfigOrigin origin) {
        return origin.lineNumber() < 0
                ? origin.description()
                : origin.description().replaceFirst(": \\d+(-\\d+)?$", "");
    }

    /** What the parser found, in one line with its place. What lies in a line that may hold a secret is not shown. */
    private static String text(Path path, HoconSource source, ConfigException e) {
        ConfigOrigin origin = e.origin();
        if (origin == null) {
            return path + ": " + oneLine(e.getMessage());
        }
        String line = source.line(file(origin), origin.lineNumber()).toLowerCase(Locale.ROOT);
        boolean secret = line.contains("token") || line.contains("password") || line.contains("secret");
        // What the parser quotes is the file's, which may be another one than was meant, such as a key's.
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
