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
import com.typesafe.config.ConfigOrigin;
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
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of HOCON with its includes, each of which must exist. The library treats an include that it cannot read as an
 * empty file, so nobody would notice a missing access block. Therefore this class reads all files, and the library
 * parses text only. An error message is one line, with the error's place.
 */
public final class HoconFile {
    /** Limit in bytes of all files together: more than a person writes. */
    static final int MOST_BYTES = 4 << 20;

    /**
     * Most words, lines, braces and brackets. The library makes an object for each, also when a running relay reads its
     * file again. A file with 10,000 identities has about 200,000.
     */
    private static final int MOST_WORDS = 300_000;

    /** Most levels of included files, since a file may include itself. */
    private static final int MOST_NESTED = 20;

    /** Refuses a reference. With references a short file could become huge, if each line doubles the previous one. */
    private static final String NO_REFERENCES = "; values do not refer to other values";

    private static final String VARIABLE = "\\$\\{\\??([A-Za-z_][A-Za-z0-9_]{0,254})}";
    private static final Pattern VARIABLES = Pattern.compile(VARIABLE);

    /** Quoted texts, words with variables, comments, wrong references, and signs that the library makes objects for. */
    private static final Pattern TOKEN = Pattern.compile(String.join(
            "|",
            "\"{3}[\\s\\S]*?(?:\"{3}|\\z)",
            "\"(?:[^\"\\\\\n]|\\\\[\\s\\S])*+\"?",
            "(?<word>(?:" + VARIABLE + "|(?!//|\\$\\{)[^\\x00- \\p{Z}\uFEFF,:={}\\[\\]\"#])++)(?<cut>#|//)?+",
            "(?<comment>(?:#|//)[^\n]*+)",
            "(?<reference>\\$\\{)",
            "[{\\[\n]"));

    private final Map<String, List<String>> lines = new HashMap<>();
    // Names of the environment variables to which values in any of the files refer.
    private final Set<String> variables = new HashSet<>();
    private int words;
    private int bytesLeft = MOST_BYTES;

    private HoconFile() {}

    /**
     * Reads a file.
     *
     * @param reader turns the keys into a result; a ConfigException that it throws is reported with its place
     * @throws IllegalArgumentException the file cannot be read, is not HOCON, or is wrong for the reader
     */
    public static <T> T read(Path path, Function<ConfigObject, T> reader) {
        HoconFile file = new HoconFile();
        try {
            return reader.apply(file.read(path).resolve().root());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(file.describe(path, e), e);
        } catch (StackOverflowError e) {
            // The parser overflows the stack, because it calls itself for each level of sections, keys and values.
            throw new IllegalArgumentException(
                    path + ": too many sections, words of a key or lists within one another", e);
        }
    }

    /** An error about a value, with its file and line. */
    public static IllegalArgumentException wrong(ConfigValue value, String what) {
        return new IllegalArgumentException(where(value) + ": " + what);
    }

    /** The text of a single value as it is written: 007 does not become 7. Null for a list or a section. */
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

    /** The file of an origin, whose description may end with line numbers. */
    private static String file(ConfigOrigin origin) {
        return origin.description().replaceFirst(": \\d+(-\\d+)?$", "");
    }

    /** The parser's error in one line with its place, without the content of a line that may hold a secret. */
    private String describe(Path path, ConfigException e) {
        ConfigOrigin origin = e.origin();
        if (origin == null) {
            return path + ": " + oneLine(e.getMessage());
        }
        String line = line(file(origin), origin.lineNumber()).toLowerCase(Locale.ROOT);
        boolean secret = line.contains("token") || line.contains("password") || line.contains("secret");
        // Text that the parser quotes is left out, because the file may be a private key by mistake.
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

    private Config read(Path path) {
        Config config = read(path, path + ": ", 0);
        refuseReferences(config.root());
        return config;
    }

    /** Refuses a key that is named like a variable, because the library would use the key's value for the variable. */
    private void refuseReferences(ConfigObject section) {
        for (String key : keys(section)) {
            ConfigValue value = section.get(key);
            if (variables.contains(key)) {
                throw wrong(
                        value,
                        "${" + key + "} is a variable of the environment, and " + key + " is a key" + NO_REFERENCES);
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
            throw wrong(section, "a section is no variable of the environment" + NO_REFERENCES);
        }
    }

    private String line(String file, int number) {
        List<String> all = lines.getOrDefault(file, List.of());
        return number > 0 && number <= all.size() ? all.get(number - 1) : "";
    }

    /** @param who the beginning of the message if the file cannot be read */
    private Config read(Path path, String who, int nested) {
        String text = readText(path, who);
        lines.put(path.toString(), text.lines().toList());
        checkWords(path, text);
        return ConfigFactory.parseReader(
                new StringReader(text),
                ConfigParseOptions.defaults()
                        .setSyntax(ConfigSyntax.CONF)
                        .setOriginDescription(path.toString())
                        .setIncluder(new Includes(path, nested)));
    }

    private void checkWords(Path path, String text) {
        Matcher token = TOKEN.matcher(text);
        while (token.find()) {
            words += token.start("comment") < 0 ? 1 : 0;
            if (token.start("word") >= 0) {
                VARIABLES.matcher(token.group("word")).results().forEach(found -> variables.add(found.group(1)));
            }
            String fault = "";
            if (token.start("cut") >= 0) {
                // The library would end the value here: /data//journal would become /data.
                fault = "a comment begins directly behind a text, whose rest it would be: quote it all, or put a"
                        + " blank before a comment";
            } else if (token.start("reference") >= 0) {
                fault = "${...} takes the name of a variable of the environment" + NO_REFERENCES;
            } else if (words > MOST_WORDS) {
                fault = "over the limit of " + MOST_WORDS + " words and lines";
            }
            if (!fault.isEmpty()) {
                long line = 1
                        + text.substring(0, token.end())
                                .chars()
                                .filter(c -> c == '\n')
                                .count();
                throw new IllegalArgumentException(path + ":" + line + ": " + fault);
            }
        }
    }

    private String readText(Path path, String who) {
        try {
            String text = TextFile.read(path, bytesLeft);
            // Each file counts as one more byte, so that the number of empty files is limited too.
            bytesLeft -= Math.min(bytesLeft, 1 + text.length());
            // The parser does not know CR as a line's end, so a comment would go on to the end of the file.
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

        /** The place of an include. The include's text is searched for, because the library does not know the line. */
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
