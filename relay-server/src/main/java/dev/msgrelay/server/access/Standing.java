package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.ShortText;

/**
 * What one connection may do: who it is by its peer, then by its token, under the policy that holds; which types, how much and
 * how fast; or why it may not act. Its connection asks, and decides none of that itself. Owned by the connection's thread.
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
    // Of the identity that it reads from the journal as; null: it does not.
    private IdentityUse replays;
    private Refusal refusal;
    // That it may publish, or get; null: all of them.
    private TypeRanges types;
    // That a subscriber was granted last; null: none yet.
    private TypeRanges granted;
    // With a rate: until when it shall move no more, as long as that is its rate.
    private long pausedUntilNanos;
    private long pausedAtRate;
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
     * Judges it anew where another policy holds than before. One that acted and may no longer do what it does is refused from
     * now on, as {@link CloseReason#REVOKED}.
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

    /** What it had, and has no longer; null: nothing. */
    private String takenBack(Identity before) {
        if (before != null && identity != null && !before.name().equals(identity.name())) {
            return "it was " + before.name() + " and is " + identity.name();
        }
        // More types it gets when it asks for them; with fewer its count of what it was sent would be wrong.
        if (granted != null && types != null && !granted.equals(granted.intersect(types))) {
            return "types " + text(granted) + " were to be had, and " + text(types) + " are";
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
        become(now);
        if (refusal == null && identity != null && use == null) {
            use = control.use(identity);
            if (!use.enter(identity.maxConnections())) {
                use = null;
                refusal = new Refusal(
                        CloseReason.TOO_MANY_CONNECTIONS,
                        ShortText.there(identity.maxConnections(), "connection") + " of " + identity.name()
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
        TypeRanges all = now == null ? null : now.types(role);
        types = all == null || all.isAll() ? null : all;
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
        return types;
    }

    /**
     * Grants a subscriber those of the types that it wants which it may have.
     *
     * @param orFewer whether one that wants every type may be given fewer
     * @throws FrameException it may have none of them, or not every one
     */
    public TypeRanges grant(TypeRanges wanted, boolean orFewer) throws FrameException {
        TypeRanges both = types == null ? wanted : wanted.intersect(types);
        if (both == null) {
            throw new FrameException(
                    CloseReason.NOT_PERMITTED,
                    "types " + text(wanted) + " are wanted, and " + text(types) + " may be had");
        }
        if (types != null && wanted.isAll() && !orFewer) {
            throw new FrameException(
                    CloseReason.NOT_PERMITTED,
                    "every type is wanted, and " + text(types) + " may be had: ask for those");
        }
        granted = both;
        return both;
    }

    private static String text(TypeRanges ranges) {
        return ranges.text(TEXT_RANGES);
    }

    /** Bytes that a subscriber may be behind. */
    public long maxLag() {
        return identity == null ? Identity.UNLIMITED : identity.maxLag();
    }

    /** A subscriber is to be sent what lies behind the log: null, and {@link #endReplay} is due; or why not. */
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

    /** It has caught up, or is gone. */
    public void endReplay() {
        if (replays != null) {
            replays.endReplay();
            replays = null;
        }
    }

    /** Whether it may move so many bytes a second only. */
    public boolean hasRate() {
        return use != null && identity.maxRate() != Identity.UNLIMITED;
    }

    /** Spends so many bytes of the rate, published or sent; only where there is one: see {@link #hasRate}. */
    public void spend(long bytes, long nowNanos) {
        pausedAtRate = identity.maxRate();
        pausedUntilNanos = nowNanos + use.took(role == Role.PUBLISHER, bytes, identity.maxRate(), nowNanos);
    }

    /** Whether its identity has moved more than it may for now. */
    public boolean isPaused(long nowNanos) {
        return hasRate() && pausedAtRate == identity.maxRate() && nowNanos - pausedUntilNanos < 0;
    }

    /**
     * Why a subscriber ends that is too far behind.
     *
     * @param logBytes that anybody may be behind
     * @param byRate whether it was paused since it was at the head
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
