package dev.msgrelay.server.cli;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.Sizes;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.access.User;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;

/**
 * The {@code access} block of a configuration file:
 *
 * <pre>
 *   access {
 *     orders { token = "sha256:2c26...", publish = "1-99", max-connections = 4, max-rate = 200m }
 *     audit  { certificate = "CN=audit", subscribe = "1-99,200" }
 *     local  { user = relay, publish = all, subscribe = all }
 *     anyone { from = "127.0.0.0/8,10.1.0.0/16", subscribe = "100-199" }
 *   }
 * </pre>
 */
final class AccessBlock {
    /** Limit of a size, far above the rate of every link. */
    private static final long MOST_BYTES = 1L << 40;

    private final String name;
    private final ConfigObject keys;
    private final List<String> known = new ArrayList<>();

    private AccessBlock(String name, ConfigObject keys) {
        this.name = name;
        this.keys = keys;
    }

    static AccessPolicy read(ConfigObject block) {
        List<Map.Entry<String, ConfigValue>> entries = new ArrayList<>(block.entrySet());
        Comparator<Map.Entry<String, ConfigValue>> byLine =
                Comparator.comparingInt(entry -> entry.getValue().origin().lineNumber());
        entries.sort(byLine.thenComparing(Map.Entry.comparingByKey()));
        List<Identity> identities = new ArrayList<>();
        for (Map.Entry<String, ConfigValue> entry : entries) {
            if (!(entry.getValue() instanceof ConfigObject keys)) {
                throw HoconFile.wrong(
                        entry.getValue(), "access." + SecretText.key(entry.getKey()) + " is a block: name { ... }");
            }
            identities.add(new AccessBlock(entry.getKey(), keys).identity());
        }
        try {
            return new AccessPolicy(identities);
        } catch (IllegalArgumentException e) {
            throw HoconFile.wrong(block, "access: " + e.getMessage());
        }
    }

    /** A missing key means no proof, no right, or no limit. */
    private Identity identity() {
        // Certificates are not split at commas, because a subject contains commas. A list can have several.
        List<TokenHash> tokens = get("token", List.of(), value -> parseEach(value, false, TokenHash::parse));
        List<X500Principal> subjects =
                get("certificate", List.of(), value -> parseEach(value, false, AccessBlock::subject));
        List<User> users = get("user", List.of(), value -> parseEach(value, true, User::parse));
        List<Network> from = get("from", List.of(), value -> parseEach(value, true, Network::parse));
        TypeRanges publish = get("publish", null, AccessBlock::types);
        TypeRanges subscribe = get("subscribe", null, AccessBlock::types);
        long connections = get("max-connections", Identity.UNLIMITED, AccessBlock::number);
        long rate = get("max-rate", Identity.UNLIMITED, AccessBlock::size);
        long lag = get("max-lag", Identity.UNLIMITED, AccessBlock::size);
        Duration interval = get("min-interval", Identity.LEAST_INTERVAL, AccessBlock::time);
        long replays = get("max-replays", Identity.UNLIMITED, AccessBlock::number);
        keys.forEach((key, value) -> {
            if (!known.contains(key)) {
                int last = known.size() - 1;
                String all = String.join(", ", known.subList(0, last)) + " and " + known.get(last);
                throw HoconFile.wrong(value, name + "." + key + ": unknown key; there are " + all);
            }
        });
        try {
            return new Identity(
                    name, tokens, subjects, users, from, publish, subscribe, connections, rate, lag, interval, replays);
        } catch (IllegalArgumentException e) {
            throw HoconFile.wrong(keys, "access: " + e.getMessage());
        }
    }

    private <T> T get(String key, T otherwise, Function<ConfigValue, T> parser) {
        known.add(key);
        ConfigValue value = keys.get(key);
        try {
            return value == null ? otherwise : parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw HoconFile.wrong(value, name + "." + key + ": " + e.getMessage());
        }
    }

    private static <T> List<T> parseEach(ConfigValue value, boolean splits, Function<String, T> parser) {
        Stream<String> texts = value instanceof ConfigList list
                ? list.stream().map(AccessBlock::singleValue)
                : Stream.of(splits ? singleValue(value).split(",") : new String[] {singleValue(value)});
        return texts.map(String::strip).map(parser).toList();
    }

    private static X500Principal subject(String text) {
        try {
            return new X500Principal(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + SecretText.file(text) + "' is no subject of a certificate, such as CN=audit,O=Example");
        }
    }

    private static TypeRanges types(ConfigValue value) {
        String text = String.join(",", parseEach(value, false, Function.identity()));
        return text.equals("*") ? TypeRanges.ALL : TypeRanges.parse(text);
    }

    private static long size(ConfigValue value) {
        return Sizes.parse(singleValue(value), MOST_BYTES);
    }

    private static Duration time(ConfigValue value) {
        return Durations.parse(singleValue(value));
    }

    private static long number(ConfigValue value) {
        String text = singleValue(value);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no number");
        }
    }

    private static String singleValue(ConfigValue value) {
        String text = HoconFile.text(value);
        if (text == null) {
            throw new IllegalArgumentException("must be a single value");
        }
        return text;
    }
}
