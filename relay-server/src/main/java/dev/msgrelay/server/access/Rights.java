package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.ShortText;

/**
 * The rights of one connection: its identity under the current policy, first by its peer, then by its token; its types,
 * lag and rate; or the reason why it may not act. The connection asks, and decides none of this itself. Owned by the
 * connection's thread.
 */
public final class Rights {
    /** Most type ranges that a text for people lists. */
    private static final int TEXT_RANGES = 8;

    private final AccessControl control;
    private final Role role;
    private Peer peer;
    private TokenHash token;
    private AccessPolicy judgedBy;
    private Identity identity;
    private AccessControl.Use use;
    // The identity whose replay slot this connection holds; null: it holds none.
    private AccessControl.Use replays;
    private Refusal refusal;
    // Types that the connection may publish or get; null: all.
    private TypeRanges types;
    // Types that a subscriber was granted last; null: none yet.
    private TypeRanges granted;
    // The end of the pause that the identity's rate demands; valid while the rate is still pausedAtRate.
    private long pausedUntilNanos;
    private long pausedAtRate;
    // Volatile: reports read the name on other threads.
    private volatile String name = "";

    public Rights(AccessControl control, Role role) {
        this.control = control;
        this.role = role;
    }

    /** Starts with the peer that the layers below report. */
    public void opened(Peer of) {
        peer = of;
        judge();
    }

    /**
     * Takes the token of HELLO; see {@link #refusal}. Without a policy a token proves nothing, and is not looked at.
     */
    public void said(Token secret) {
        token = secret.isNone() ? null : TokenHash.of(secret);
        judge();
    }

    /**
     * Judges the connection anew if the policy has changed. A connection that was allowed to act, and may no longer do
     * what it does, is refused from now on as {@link CloseReason#REVOKED}.
     */
    public void review() {
        if (control.policy() == judgedBy) {
            return;
        }
        boolean acted = refusal == null;
        Identity before = identity;
        judge();
        if (acted) {
            String taken = refusal != null ? refusal.text() : takenBack(before);
            refusal = taken == null ? null : new Refusal(CloseReason.REVOKED, taken);
        }
    }

    /** A text about the rights that the connection had under {@code before} and has lost; null: it has lost none. */
    private String takenBack(Identity before) {
        if (before != null && identity != null && !before.name().equals(identity.name())) {
            return "it was " + before.name() + " and is " + identity.name();
        }
        // A subscriber gets added types when it asks for them; lost types would make its count of skipped messages
        // wrong.
        if (granted != null && types != null && !granted.equals(granted.intersect(types))) {
            return "types " + describe(granted) + " were permitted, and " + describe(types) + " are now";
        }
        return null;
    }

    private void judge() {
        judgedBy = control.policy();
        Identity now = null;
        if (judgedBy != null) {
            now = token == null ? judgedBy.byPeer(peer) : judgedBy.byToken(token, peer);
        }
        refusal = judgedBy == null ? null : refusalOf(now);
        takeOn(now);
        if (refusal == null && identity != null && use == null) {
            use = control.use(identity);
            if (!use.addConnection(identity.maxConnections())) {
                use = null;
                refusal = new Refusal(
                        CloseReason.TOO_MANY_CONNECTIONS,
                        ShortText.there(identity.maxConnections(), "connection") + " of " + identity.name()
                                + " already, which is the limit");
            }
        }
    }

    /** Takes on an identity, or none, and gives back the use of a former one that differs. */
    private void takeOn(Identity now) {
        boolean same = now != null && identity != null && now.name().equals(identity.name());
        if (!same || refusal != null) {
            giveBackPlace();
        }
        identity = now;
        name = now == null ? "" : now.name();
        TypeRanges all = now == null ? null : now.types(role);
        types = all == null || all.isAll() ? null : all;
    }

    private Refusal refusalOf(Identity who) {
        if (who == null) {
            return new Refusal(CloseReason.NOT_AUTHENTICATED, unknown());
        }
        if (who.types(role) == null) {
            return new Refusal(
                    CloseReason.NOT_PERMITTED,
                    who.name() + " may not " + (role == Role.PUBLISHER ? "publish" : "subscribe"));
        }
        return null;
    }

    /** The text about a connection without an identity, which names all that it has shown but secrets. */
    private String unknown() {
        if (token != null) {
            return "the token is not one that is known here";
        }
        String needed = "HELLO with a token is needed here";
        if (peer.certificate() == null) {
            return needed;
        }
        return "no identity has the certificate "
                + Peer.printable(peer.certificate().getName()) + " (or none that may come from there): " + needed;
    }

    /** Gives back the connection's place at its identity. Further calls do nothing. */
    public void giveBackPlace() {
        if (use != null) {
            use.removeConnection();
            use = null;
        }
    }

    /** The reason why the connection may not act; null: it may act. */
    public Refusal refusal() {
        return refusal;
    }

    /** Types that the connection may publish or get; null: all. Valid only without a {@link #refusal}. */
    public TypeRanges types() {
        return types;
    }

    /**
     * Grants a subscriber the wanted types, as far as it may have them.
     *
     * @param orFewer whether a subscriber that wants every type may be granted fewer
     * @throws FrameException the subscriber may have none of the types, or not every one
     */
    public TypeRanges grant(TypeRanges wanted, boolean orFewer) throws FrameException {
        TypeRanges both = types == null ? wanted : wanted.intersect(types);
        if (both == null) {
            throw new FrameException(
                    CloseReason.NOT_PERMITTED,
                    "types " + describe(wanted) + " are wanted, and " + describe(types) + " are permitted");
        }
        if (types != null && wanted.isAll() && !orFewer) {
            throw new FrameException(
                    CloseReason.NOT_PERMITTED,
                    "every type is wanted, and " + describe(types) + " are permitted: ask for those");
        }
        granted = both;
        return both;
    }

    private static String describe(TypeRanges ranges) {
        return ranges.text(TEXT_RANGES);
    }

    /** Most bytes that a subscriber may be behind the head. */
    public long maxLag() {
        return identity == null ? Identity.UNLIMITED : identity.maxLag();
    }

    /**
     * Takes a replay slot for a subscriber. Returns null if there is one, and {@link #endReplay} is due then; otherwise
     * the reason.
     */
    public Refusal beginReplay() {
        if (use == null) {
            return null;
        }
        if (!use.beginReplay(identity.maxReplays())) {
            return new Refusal(
                    CloseReason.TOO_MANY_CONNECTIONS,
                    ShortText.there(identity.maxReplays(), "subscriber") + " of " + name
                            + " already that get the stream from the journal, which is the limit");
        }
        replays = use;
        return null;
    }

    /** Gives the replay slot back: the subscriber has caught up, or is gone. */
    public void endReplay() {
        if (replays != null) {
            replays.endReplay();
            replays = null;
        }
    }

    /** Whether the identity has a limit of bytes a second. */
    public boolean hasRate() {
        return use != null && identity.maxRate() != Identity.UNLIMITED;
    }

    /** Spends so many bytes of the rate, published or sent; only where there is one: see {@link #hasRate}. */
    public void spend(long bytes, long nowNanos) {
        pausedAtRate = identity.maxRate();
        pausedUntilNanos = nowNanos + use.took(role == Role.PUBLISHER, bytes, identity.maxRate(), nowNanos);
    }

    /** Whether the identity has moved more bytes than its rate allows so far. */
    public boolean isPaused(long nowNanos) {
        return hasRate() && pausedAtRate == identity.maxRate() && nowNanos - pausedUntilNanos < 0;
    }

    /**
     * The reason for the end of a subscriber that is too far behind.
     *
     * @param logBytes size of the log, the most bytes that any subscriber may be behind
     * @param byRate whether its rate has paused it since it was last at the head
     */
    public Refusal tooFarBehind(long logBytes, boolean byRate) {
        String behind = maxLag() < logBytes
                ? "more than the " + maxLag() + " bytes behind that " + name + " may be"
                : "more than the log's " + logBytes + " bytes behind";
        return byRate
                ? new Refusal(
                        CloseReason.RATE_LIMITED,
                        behind + ": " + name + " is sent " + identity.maxRate() + " bytes a second")
                : new Refusal(CloseReason.SLOW_SUBSCRIBER, behind);
    }

    /** The identity's name; empty: there is no policy, or no identity is proved. Any thread. */
    public String name() {
        return name;
    }

    /** The kind of proof of the identity, for the log. */
    public String proof() {
        return token != null
                ? "token"
                : peer.certificate() != null && identity.certificates().contains(peer.certificate())
                        ? "certificate"
                        : identity.isKnownByNetwork() ? "network" : "user";
    }
}
