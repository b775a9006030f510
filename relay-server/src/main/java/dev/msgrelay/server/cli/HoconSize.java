package dev.msgrelay.server.cli;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks depth and length of a configuration's values before the library walks them: the library recurses, and writes
 * out all substitutions. Forty lines such as {@code b = ${a}${a}} would be a terabyte.
 */
final class HoconSize {
    /** Marks a value that is being counted. */
    private static final long OPEN = -1;

    private final ConfigObject root;
    private final Map<ConfigValue, Long> counted = new IdentityHashMap<>();

    private HoconSize(ConfigObject root) {
        this.root = root;
    }

    /** Counts the characters of all values with their substitutions. */
    static void check(ConfigObject root) {
        new HoconSize(root).count(root, 0);
    }

    private long count(ConfigValue value, int deep) {
        Long before = counted.get(value);
        if (before != null) {
            return before;
        }
        if (deep > HoconText.MOST_DEEP) {
            throw HoconFile.wrong(value, "values" + HoconText.WITHIN);
        }
        counted.put(value, OPEN);
        long length = Math.max(0, inside(value, deep));
        if (length > HoconSource.MOST_BYTES) {
            throw HoconFile.wrong(
                    value, "with its substitutions it is over the limit of " + HoconSource.MOST_BYTES + " characters");
        }
        counted.put(value, length);
        return length;
    }

    private long inside(ConfigValue value, int deep) {
        long length = 0;
        try {
            if (value instanceof ConfigObject section) {
                for (Map.Entry<String, ConfigValue> entry : section.entrySet()) {
                    length += entry.getKey().length() + Math.max(0, count(entry.getValue(), deep + 1));
                }
                return length;
            }
            if (value instanceof ConfigList list) {
                for (ConfigValue item : list) {
                    length += 1 + Math.max(0, count(item, deep + 1));
                }
                return length;
            }
        } catch (ConfigException.NotResolved merged) {
            // A section that is merged from several, one of them a substitution: it is counted as text.
            length = 0;
        }
        return ofText(value, deep);
    }

    /** Characters of a value's text, with its substitutions. */
    private long ofText(ConfigValue value, int deep) {
        String text = value.render(ConfigRenderOptions.concise());
        long length = text.length();
        int itself = 0;
        for (int at = text.indexOf("${"); at >= 0; at = text.indexOf("${", at + 2)) {
            long substituted = ofPath(path(text, at + 2), deep);
            itself += substituted == OPEN ? 1 : 0;
            length += Math.max(0, substituted);
        }
        // A value that refers to its former value, as in 'a = ${a} more', grows at most threefold with every third
        // time.
        return itself < HoconText.MOST_DEEP ? (long) (length * Math.pow(3, itself / 3.0)) : Long.MAX_VALUE;
    }

    private static String path(String text, int at) {
        int from = text.startsWith("?", at) ? at + 1 : at;
        int end = from;
        while (end < text.length() && text.charAt(end) != '}') {
            end = text.charAt(end) == '"' ? HoconText.endOfQuoted(text, end) + 1 : end + 1;
        }
        return text.substring(from, Math.min(end, text.length()));
    }

    private long ofPath(String path, int deep) {
        List<String> words;
        try {
            words = ConfigUtil.splitPath(path);
        } catch (ConfigException e) {
            // The text within quotes is no path.
            return 0;
        }
        // The path of an included file is relative to the including section, or to the top: both are tried.
        for (int i = 0; i < words.size(); i++) {
            ConfigValue found = find(words.subList(i, words.size()));
            if (found != null) {
                return count(found, deep + 1);
            }
        }
        String set = System.getenv(path);
        return set == null ? 0 : set.length();
    }

    /** The value at a path, or the value around it; null: there is none. */
    private ConfigValue find(List<String> words) {
        ConfigValue at = root;
        for (String word : words) {
            if (!(at instanceof ConfigObject section)) {
                return at;
            }
            try {
                at = section.get(word);
            } catch (ConfigException.NotResolved merged) {
                return at;
            }
        }
        return at;
    }
}
