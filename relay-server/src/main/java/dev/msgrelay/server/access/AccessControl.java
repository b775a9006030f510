package dev.msgrelay.server.access;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The current policy, and the connections and rate that each identity uses at present. Any thread. */
public final class AccessControl {
    private final Map<String, IdentityUse> uses = new ConcurrentHashMap<>();
    private volatile AccessPolicy policy;

    /** @param policy null: everybody may do everything */
    public AccessControl(AccessPolicy policy) {
        this.policy = policy;
    }

    /** The current policy; null: everybody may do everything. */
    public AccessPolicy policy() {
        return policy;
    }

    /** Replaces the policy. Each connection notices the new one within a few tenths of a second. */
    public void change(AccessPolicy other) {
        policy = other;
        Set<String> known = other == null
                ? Set.of()
                : other.identities().stream().map(Identity::name).collect(Collectors.toSet());
        uses.entrySet().removeIf(use -> use.getValue().isUnused() && !known.contains(use.getKey()));
    }

    IdentityUse use(Identity identity) {
        return uses.computeIfAbsent(identity.name(), name -> new IdentityUse());
    }
}
