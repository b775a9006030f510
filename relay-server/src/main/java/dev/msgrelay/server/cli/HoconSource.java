package dev.msgrelay.server.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValue;
import dev.msgrelay.protocol.text.TextFile;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.net.URL;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A configuration file with its includes, each of which must exist. The library takes an include that cannot be read
 * for an empty one: nobody would notice a missing access block. So this class reads all files, and the library gets
 * text.
 */
final class HoconSource {
    /** Limit in bytes of all files together: longer than anything that a person writes. */
    static final int MOST_BYTES = 4 << 20;

    /** Most levels of files that include one another; a file that includes itself would have no end. */
    private static final int MOST_NESTED = 20;

    private final Map<String, List<String>> lines = new HashMap<>();
    private final HoconText limits = new HoconText();
    private int bytesLeft = MOST_BYTES;

    /** @throws IllegalArgumentException the file cannot be read; the message names it */
    Config read(Path path) {
        Config config = read(path, path + ": ", 0);
        refuseReferences(config.root());
        return config;
    }

    /** Refuses a key that has the name of a variable: the library would take the key's value, and not the environment's. */
    private void refuseReferences(ConfigObject section) {
        for (String key : keys(section)) {
            ConfigValue value = section.get(key);
            if (limits.takes(key)) {
                throw HoconFile.wrong(
                        value,
                        "${" + key + "} is a variable of the environment, and " + key + " is a key"
                                + HoconText.NO_REFERENCES);
            }
            if (value instanceof ConfigObject inner) {
                refuseReferences(inner);
            }
        }
    }

    private static Set<String> keys(ConfigObject section) {
        try {
            return section.keySet();
        } catch (ConfigException.NotResolved merged) {
            throw HoconFile.wrong(section, "a section is no variable of the environment" + HoconText.NO_REFERENCES);
        }
    }

    /** A line of one of the files, unchanged; empty: there is none. */
    String line(String file, int number) {
        List<String> all = lines.getOrDefault(file, List.of());
        return number > 0 && number <= all.size() ? all.get(number - 1) : "";
    }

    /** @param who begin of the message about a file that cannot be read */
    private Config read(Path path, String who, int nested) {
        String text = readText(path, who);
        lines.put(path.toString(), text.lines().toList());
        limits.check(path, text);
        return ConfigFactory.parseReader(
                new StringReader(text),
                ConfigParseOptions.defaults()
                        .setSyntax(ConfigSyntax.CONF)
                        .setOriginDescription(path.toString())
                        .setIncluder(new Includes(path, nested)));
    }

    private String readText(Path path, String who) {
        try {
            String text = TextFile.read(path, bytesLeft);
            // Characters plus one: at least as many bytes, and an empty file counts too.
            bytesLeft -= Math.min(bytesLeft, 1 + text.length());
            // The parser does not know CR as a line's end: behind a comment it would take the rest of the file for a
            // part of it.
            int line = TextFile.lineWithCrAlone(text);
            if (line > 0) {
                throw new IllegalArgumentException(path + ":" + line
                        + ": a line ends with CR alone: save the file with line ends of Unix (LF) or Windows (CR LF)");
            }
            return text;
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(who + "there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new IllegalArgumentException(who + "it may not be read", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(who + "it cannot be read: " + e.getMessage(), e);
        }
    }

    private final class Includes
            implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {
        private final Path from;
        private final int nested;

        Includes(Path from, int nested) {
            this.from = from;
            this.nested = nested;
        }

        @Override
        public ConfigIncluder withFallback(ConfigIncluder library) {
            return this;
        }

        /** Includes a file by a path relative to the including file's folder. */
        @Override
        public ConfigObject include(ConfigIncludeContext context, String what) {
            if (what.contains("://")) {
                throw refused(what);
            }
            return included(from.resolveSibling(what), what);
        }

        @Override
        public ConfigObject includeFile(ConfigIncludeContext context, File what) {
            return included(what.toPath(), what.getPath());
        }

        @Override
        public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
            throw refused(what.getPath());
        }

        @Override
        public ConfigObject includeResources(ConfigIncludeContext context, String what) {
            throw refused(what);
        }

        private ConfigObject included(Path path, String what) {
            String who = placeOfInclude(what) + "include " + path + ": ";
            if (nested == MOST_NESTED) {
                throw new IllegalArgumentException(who + "more than " + MOST_NESTED
                        + " files include one another; perhaps one of them includes itself");
            }
            return read(path, who, nested + 1).root();
        }

        private IllegalArgumentException refused(String what) {
            return new IllegalArgumentException(
                    placeOfInclude(what) + "include " + what + ": only a file can be included: include \"other.conf\"");
        }

        /** The place of an include, found by its text: the library does not tell the line. */
        private String placeOfInclude(String what) {
            List<String> all = lines.get(from.toString());
            for (int i = 0; i < all.size(); i++) {
                if (all.get(i).contains("include") && all.get(i).contains(what)) {
                    return from + ":" + (i + 1) + ": ";
                }
            }
            return from + ": ";
        }
    }
}
