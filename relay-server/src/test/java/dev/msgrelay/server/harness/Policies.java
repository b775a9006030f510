package dev.msgrelay.server.harness;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.access.User;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;

/** Access policies as text, with the keys of a configuration's {@code access} block, but tokens in the clear. */
public final class Policies {
    private Policies() {}

    /** A policy, such as {@code orders { token = secret, publish = "1-99", max-connections = 2 }}. */
    public static AccessPolicy of(String text) {
        Config all = ConfigFactory.parseString(text);
        return new AccessPolicy(all.root().keySet().stream()
                .map(name -> identity(name, all.getConfig(name)))
                .toList());
    }

    private static Identity identity(String name, Config keys) {
        return new Identity(
                name,
                proofs(keys, "token", token -> TokenHash.of(Token.of(token))),
                proofs(keys, "certificate", X500Principal::new),
                proofs(keys, "user", User::parse),
                proofs(keys, "from", Network::parse),
                types(keys, "publish"),
                types(keys, "subscribe"),
                limit(keys, "max-connections"),
                limit(keys, "max-rate"),
                limit(keys, "max-lag"),
                keys.hasPath("min-interval") ? keys.getDuration("min-interval") : Identity.LEAST_INTERVAL,
                Identity.UNLIMITED);
    }

    private static <T> List<T> proofs(Config keys, String key, Function<String, T> parser) {
        return keys.hasPath(key)
                ? Stream.of(keys.getString(key).split(", ")).map(parser).toList()
                : List.of();
    }

    private static TypeRanges types(Config keys, String key) {
        return keys.hasPath(key) ? TypeRanges.parse(keys.getString(key)) : null;
    }

    private static long limit(Config keys, String key) {
        return keys.hasPath(key) ? keys.getLong(key) : Identity.UNLIMITED;
    }
}
