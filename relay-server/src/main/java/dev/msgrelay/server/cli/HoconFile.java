package dev.msgrelay.server.cli;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValue;
import dev.msgrelay.protocol.text.FileText;
import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Reads a file of HOCON. Whatever is wrong with it is told in one line, with file and line. */
public final class HoconFile {
    /** Longer than any file that a person writes; a device or a wrong file is not read into memory. */
    private static final int MOST_BYTES = 4 << 20;

    private HoconFile() {}

    /**
     * Reads it.
     *
     * @param reader makes of its keys what they stand for; what it throws of the parser's exceptions is told with its place
     * @throws IllegalArgumentException it cannot be read, is no HOCON, or is not what the reader wants
     */
    public static <T> T read(Path path, Function<ConfigObject, T> reader) {
        List<String> lines = lines(path);
        try {
            ConfigParseOptions options = ConfigParseOptions.defaults()
                    .setSyntax(ConfigSyntax.CONF)
                    .setAllowMissing(false)
                    .setIncluder(new Required(null));
            return reader.apply(
                    ConfigFactory.parseFile(path.toFile(), options).resolve().root());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(text(path, lines, e), e);
        }
    }

    /**
     * Files that a file includes. The library takes one that is missing, or may not be read, for an empty one: then nobody would
     * notice that the access block in it does not hold.
     *
     * @param library reads them
     */
    private record Required(ConfigIncluder library) implements ConfigIncluder, ConfigIncluderFile {
        @Override
        public ConfigIncluder withFallback(ConfigIncluder fallback) {
            return new Required(fallback);
        }

        @Override
        public ConfigObject include(ConfigIncludeContext context, String what) {
            // The library finds nothing beside a file that is named without its folder.
            boolean here = context.relativeTo(what) == null;
            return here ? includeFile(context, new File(what)) : library.include(required(context), what);
        }

        @Override
        public ConfigObject includeFile(ConfigIncludeContext context, File what) {
            return ((ConfigIncluderFile) library).includeFile(required(context), what);
        }

        private static ConfigIncludeContext required(ConfigIncludeContext context) {
            return context.setParseOptions(context.parseOptions().setAllowMissing(false));
        }
    }

    private static List<String> lines(Path path) {
        try {
            boolean unix = path.getFileSystem().supportedFileAttributeViews().contains("unix");
            if (unix && ((Integer) Files.getAttribute(path, "unix:mode") & 0170000) == 0010000) {
                // Who reads it again, as the parser does, finds it empty, and would take that for what it says.
                throw new IllegalArgumentException(path + ": it is a pipe, and is read more than once: give a file");
            }
            if (Files.isRegularFile(path) && Files.size(path) > MOST_BYTES) {
                throw new IllegalArgumentException(path + ": " + Files.size(path) + " bytes are over the limit of "
                        + MOST_BYTES + " of a configuration file");
            }
            return lines(path, Files.readAllBytes(path));
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(path + ": there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new IllegalArgumentException(path + ": it may not be read", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(path + ": it cannot be read: " + e.getMessage(), e);
        }
    }

    /** The parser knows no line that ends with a CR alone: behind a comment it would take the rest of the file for a part of it. */
    private static List<String> lines(Path path, byte[] bytes) {
        try {
            String text = FileText.of(bytes);
            int line = FileText.lineWithCrAlone(text);
            if (line > 0) {
                throw new IllegalArgumentException(path + ":" + line
                        + ": a line ends with CR alone: save the file with line ends of Unix (LF) or Windows (CR LF)");
            }
            return text.lines().toList();
        } catch (IOException e) {
            throw new IllegalArgumentException(path + ": " + e.getMessage());
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
