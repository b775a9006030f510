package dev.msgrelay.server.cli;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.msgrelay.server.config.RelayOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A configuration file (HOCON). Each key is an option's name without its dashes. A section's name stands for the first
 * words of its options' names. The sections {@code access} and {@code cluster} are read elsewhere.
 *
 * <pre>
 *   log-size = 64m        tls { cert = a.pem }     # --log-size=64m --tls-cert=a.pem
 *   access { ... }                                 # AccessBlock
 *   cluster { ... }                                # relay-cluster, but for the options of all nodes
 * </pre>
 *
 * @param values the keys are options' names; the values are written as after a flag
 * @param ofAllNodes the same of options in the cluster's block
 */
record ConfigFile(Map<String, Value> values, Map<String, Value> ofAllNodes, Optional<ConfigObject> access) {
    static final String ACCESS = "access";

    static final ConfigFile NONE = new ConfigFile(Map.of(), Map.of(), Optional.empty());

    /** Options that may stand in the cluster's block, where all nodes have them from. */
    private static final Set<String> OF_ALL_NODES = Set.of(RelayOption.STATE.name(), RelayOption.STATE_TYPES.name());

    /** Name of the block that relay-cluster reads. */
    private static final String CLUSTER = "cluster";

    /** @param where file and line, as {@code relay.conf:3}; or the name of an environment variable */
    record Value(String text, String where) {}

    /** @throws IllegalArgumentException the file cannot be read, or is not HOCON; the message names file and line */
    static ConfigFile read(Path path) {
        return HoconFile.read(path, root -> {
            Map<String, Value> values = new TreeMap<>();
            Map<String, Value> ofAllNodes = new TreeMap<>();
            Optional<ConfigObject> access = Optional.empty();
            for (Map.Entry<String, ConfigValue> entry : root.entrySet()) {
                String key = entry.getKey();
                if (key.equals(ACCESS) && entry.getValue() instanceof ConfigObject block) {
                    access = Optional.of(block);
                } else if (key.equals(ACCESS)) {
                    throw HoconFile.wrong(entry.getValue(), "access is a block: access { name { token = ... } }");
                } else if (key.equals(CLUSTER) && entry.getValue() instanceof ConfigObject block) {
                    block.keySet().stream()
                            .filter(OF_ALL_NODES::contains)
                            .forEach(name -> flatten(name, block.get(name), ofAllNodes));
                } else {
                    flatten(key, entry.getValue(), values);
                }
            }
            return new ConfigFile(values, ofAllNodes, access);
        });
    }

    private static void flatten(String name, ConfigValue value, Map<String, Value> into) {
        if (value instanceof ConfigObject section) {
            section.forEach((key, inner) -> flatten(name + '-' + key, inner, into));
            return;
        }
        Value before = into.put(name, new Value(valueText(name, value), HoconFile.where(value)));
        if (before != null) {
            throw HoconFile.wrong(value, name + " is given here, and at " + before.where());
        }
    }

    private static String valueText(String name, ConfigValue value) {
        if (value instanceof ConfigList list) {
            return list.stream().map(item -> valueText(name, item)).collect(Collectors.joining(","));
        }
        String text = HoconFile.text(value);
        if (text == null) {
            throw HoconFile.wrong(value, name + " must be a value, or a list of values");
        }
        return text;
    }
}
