package dev.msgrelay.server.cli;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A configuration file (HOCON): each key is an option's name without its dashes, and stands at the left or in a section that
 * has the first words of it. {@code access} and {@code cluster} are blocks of their own.
 *
 * <pre>
 *   log-size = 64m        tls { cert = a.pem }     # --log-size=64m --tls-cert=a.pem
 *   access { ... }                                 # AccessBlock
 *   cluster { ... }                                # relay-cluster
 * </pre>
 *
 * @param values by the names of options; as they would be written behind a flag
 * @param access null: there is none
 */
record ConfigFile(Path path, Map<String, Value> values, ConfigObject access) {
    /** The block that says who may do what. */
    static final String ACCESS = "access";

    /** The block that says who is in a cluster; relay-cluster reads it. */
    private static final String CLUSTER = "cluster";

    /** @param where file and line, as {@code relay.conf:3} */
    record Value(String text, String where) {}

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException it cannot be read or is no HOCON, naming file and line
     */
    static ConfigFile read(Path path) {
        return HoconFile.read(path, root -> {
            Map<String, Value> values = new TreeMap<>();
            ConfigObject access = null;
            for (Map.Entry<String, ConfigValue> entry : root.entrySet()) {
                String key = entry.getKey();
                if (key.equals(ACCESS) && entry.getValue() instanceof ConfigObject block) {
                    access = block;
                } else if (key.equals(ACCESS)) {
                    throw HoconFile.wrong(entry.getValue(), "access is a block: access { name { token = ... } }");
                } else if (!key.equals(CLUSTER) || !(entry.getValue() instanceof ConfigObject)) {
                    flatten(key, entry.getValue(), values);
                }
            }
            return new ConfigFile(path, values, access);
        });
    }

    private static void flatten(String name, ConfigValue value, Map<String, Value> into) {
        if (value instanceof ConfigObject section) {
            section.forEach((key, inner) -> flatten(name + '-' + key, inner, into));
            return;
        }
        Value before = into.put(name, new Value(text(name, value), HoconFile.where(value)));
        if (before != null) {
            throw HoconFile.wrong(value, name + " is given here, and at " + before.where());
        }
    }

    private static String text(String name, ConfigValue value) {
        if (value instanceof ConfigList list) {
            return list.stream().map(item -> text(name, item)).collect(Collectors.joining(","));
        }
        if (value.unwrapped() == null || value instanceof ConfigObject) {
            throw HoconFile.wrong(value, name + " is to be a value, or a list of values");
        }
        return value.unwrapped().toString();
    }
}
