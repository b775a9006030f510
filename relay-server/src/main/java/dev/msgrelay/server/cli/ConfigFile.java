package dev.msgrelay.server.cli;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValue;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A configuration file (HOCON): each key is an option's name without its dashes, and stands at the left or in a section that
 * has the first words of it. {@code access} is a block of its own.
 *
 * <pre>
 *   log-size = 64m        tls { cert = a.pem }     # --log-size=64m --tls-cert=a.pem
 *   access { ... }                                 # AccessBlock
 * </pre>
 *
 * @param values by the names of options; as they would be written behind a flag
 * @param access null: there is none
 */
record ConfigFile(Path path, Map<String, Value> values, ConfigObject access) {
    /** The block that says who may do what. */
    static final String ACCESS = "access";

    /** Longer than any file that a person writes; a device or a wrong file is not read into memory. */
    private static final int MOST_BYTES = 4 << 20;

    /** @param where file and line, as {@code relay.conf:3} */
    record Value(String text, String where) {}

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException it cannot be read or is no HOCON, naming file and line
     */
    static ConfigFile read(Path path) {
        List<String> lines = lines(path);
        try {
            ConfigParseOptions options =
                    ConfigParseOptions.defaults().setSyntax(ConfigSyntax.CONF).setAllowMissing(false);
            ConfigObject root =
                    ConfigFactory.parseFile(path.toFile(), options).resolve().root();
            Map<String, Value> values = new TreeMap<>();
            ConfigObject access = null;
            for (Map.Entry<String, ConfigValue> entry : root.entrySet()) {
                if (!entry.getKey().equals(ACCESS)) {
                    flatten(entry.getKey(), entry.getValue(), values);
                } else if (entry.getValue() instanceof ConfigObject block) {
                    access = block;
                } else {
                    throw wrong(entry.getValue(), "access is a block: access { name { token = ... } }");
                }
            }
            return new ConfigFile(path, values, access);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(text(path, lines, e), e);
        }
    }

    private static List<String> lines(Path path) {
        try {
            if (Files.isRegularFile(path) && Files.size(path) > MOST_BYTES) {
                throw new IllegalArgumentException(path + ": " + Files.size(path) + " bytes are over the limit of "
                        + MOST_BYTES + " of a configuration file");
            }
            return Files.readAllLines(path);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(path + ": there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new IllegalArgumentException(path + ": it may not be read", e);
        } catch (MalformedInputException e) {
            throw new IllegalArgumentException(path + ": it is not UTF-8", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(path + ": it cannot be read: " + e.getMessage(), e);
        }
    }

    private static void flatten(String name, ConfigValue value, Map<String, Value> into) {
        if (value instanceof ConfigObject section) {
            section.forEach((key, inner) -> flatten(name + '-' + key, inner, into));
            return;
        }
        Value before = into.put(name, new Value(text(name, value), where(value)));
        if (before != null) {
            throw wrong(value, name + " is given here, and at " + before.where());
        }
    }

    private static String text(String name, ConfigValue value) {
        if (value instanceof ConfigList list) {
            return list.stream().map(item -> text(name, item)).collect(Collectors.joining(","));
        }
        if (value.unwrapped() == null || value instanceof ConfigObject) {
            throw wrong(value, name + " is to be a value, or a list of values");
        }
        return value.unwrapped().toString();
    }

    /** What is wrong with a value of a file, with its place. */
    static IllegalArgumentException wrong(ConfigValue value, String what) {
        return new IllegalArgumentException(where(value) + ": " + what);
    }

    /** File and line of a value. */
    static String where(ConfigValue value) {
        return where(value.origin());
    }

    private static String where(ConfigOrigin origin) {
        String file = origin.filename() == null ? origin.description() : origin.filename();
        return origin.lineNumber() < 0 ? file : file + ":" + origin.lineNumber();
    }

    /** What the parser found, in one line with its place. What lies in a line that may hold a secret is not shown. */
    private static String text(Path path, List<String> lines, ConfigException e) {
        ConfigOrigin origin = e.origin();
        if (origin == null) {
            return path + ": " + oneLine(e.getMessage());
        }
        int number = origin.lineNumber();
        String line =
                number > 0 && number <= lines.size() ? lines.get(number - 1).toLowerCase(Locale.ROOT) : "";
        boolean secret = line.contains("token") || line.contains("password") || line.contains("secret");
        String what = oneLine(e.getMessage());
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
