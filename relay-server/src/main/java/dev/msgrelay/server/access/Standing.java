package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;

/**
 * What one connection may do: who it is by its peer, then by its token, under the policy that holds; or why it may not act.
 * Owned by its connection's thread.
 */
public final class Standing {
    /** Ranges that a text names. */
    private static final int TEXT_RANGES = 8;

    private final AccessControl control;
    private final Role role;
    private Peer peer;
    private TokenHash token;
    private AccessPolicy judgedBy;
    private Identity identity;
    private IdentityUse use;
    private Refusal refusal;
    // Reports read it.
    private volatile String name = "";

    public Standing(AccessControl control, Role role) {
        this.control = control;
        this.role = role;
    }

    /** The connection is there: what the layers below say of its peer. */
    public void opened(Peer of) {
        peer = of;
        judge();
    }

    /** It has said HELLO; see {@link #refusal}. Where everybody may do everything a token proves nothing, and is not looked at. */
    public void said(Token secret) {
        token = secret.isNone() ? null : TokenHash.of(secret);
        judge();
    }

    /**
     * Another policy holds than the one that it was judged by.
     *
     * @return whether it still may do what it does: act at all, as the one that it was
     */
    public boolean holdsAfterChange() {
        boolean acted = refusal == null;
        Identity before = identity;
        judge();
        boolean same = before == null || identity == null || before.name().equals(identity.name());
        if (acted && refusal == null && !same) {
            refusal = new Refusal(CloseReason.REVOKED, "it was " + before.name() + " and is " + identity.name());
        }
        return !acted || refusal == null;
    }

    /** Whether another policy holds than the one that it was judged by. */
    public boolean isOutdated() {
        return control.policy() != judgedBy;
    }

    private void judge() {
        judgedBy = control.policy();
        Identity now = null;
        if (judgedBy != null) {
            now = token == null ? judgedBy.byPeer(peer) : judgedBy.byToken(token, peer);
        }
        refusal = judgedBy == null ? null : refusalOf(now);
        become(now);
        if (refusal == null && identity != null && use == null) {
            use = control.use(identity);
            if (!use.enter(identity.maxConnections())) {
                use = null;
                refusal = new Refusal(
                        CloseReason.TOO_MANY_CONNECTIONS,
                        "there are " + identity.maxConnections() + " connections of " + identity.name()
                                + " already, which is the limit");
            }
        }
    }

    /** Who has no identity, or another one than before, gives back what it had. */
    private void become(Identity now) {
        boolean same = now != null && identity != null && now.name().equals(identity.name());
        if (!same || refusal != null) {
            leave();
        }
        identity = now;
        name = now == null ? "" : now.name();
    }

    private Refusal refusalOf(Identity who) {
        if (who == null) {
            return new Refusal(
                    CloseReason.NOT_AUTHENTICATED,
                    token == null ? "HELLO with a token is needed here" : "the token is not one that is known here");
        }
        if (who.types(role) == null) {
            return new Refusal(
                    CloseReason.NOT_PERMITTED,
                    who.name() + " may not " + (role == Role.PUBLISHER ? "publish" : "subscribe"));
        }
        return null;
    }

    /** It is over. More than once without harm. */
    public void leave() {
        if (use != null) {
            use.leave();
            use = null;
        }
    }

    /** Why it may not act; null: it may. */
    public Refusal refusal() {
        return refusal;
    }

    /** The types that it may publish, or get; null: all of them. Only where there is no {@link #refusal}. */
    public TypeRanges types() {
        TypeRanges types = identity == null ? null : identity.types(role);
        return types == null || types.isAll() ? null : types;
    }

    /** Those types, for people. */
    public static String text(TypeRanges types) {
        return types.text(TEXT_RANGES);
    }

    /** Bytes that a subscriber may be behind. */
    public long maxLag() {
        return identity == null ? Identity.UNLIMITED : identity.maxLag();
    }

    /** Whether it may move so many bytes a second only. */
    public boolean hasRate() {
        return use != null && identity.maxRate() != Identity.UNLIMITED;
    }

    /**
     * So many bytes have been published, or sent to it; only where it {@link #hasRate}.
     *
     * @return for how many nanoseconds no more shall be; 0 or less: none
     */
    public long took(long bytes, long nowNanos) {
        return use.took(role == Role.PUBLISHER, bytes, identity.maxRate(), nowNanos);
    }

    /** Bytes a second that it may move. */
    public long rate() {
        return identity.maxRate();
    }

    /** Who it is; empty: nobody is asked, or nobody that is known. Any thread. */
    public String name() {
        return name;
    }

    /** By what it is known, for the log. */
    public String proof() {
        return token != null
                ? "token"
                : peer.certificate() != null && identity.certificates().contains(peer.certificate())
                        ? "certificate"
                        : identity.isKnownByNetwork() ? "network" : "user";
    }
}
