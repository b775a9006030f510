package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.ShortText;
import java.util.Optional;

/**
 * The rights of one connection: its identity under the current policy, first by its peer, then by its token; its types,
 * lag and rate; or the reason why it may not act. Owned by the connection's thread.
 */
public final class Rights {
    /** Most type ranges that a text for people lists. */
    private static final int TEXT_RANGES = 8;

    private final AccessControl control;
    private final Role role;
    private Peer peer;
    private Optional<TokenHash> token = Optional.empty();
    private AccessPolicy judgedBy = AccessPolicy.EVERYBODY;
    private Optional<Identity> identity = Optional.empty();
    // The connection's place among those of its identity.
    private Optional<AccessControl.Use> place = Optional.empty();
    // The identity whose replay slot this connection has.
    private Optional<AccessControl.Use> replay = Optional.empty();
    private Optional<Refusal> refusal = Optional.empty();
    private TypeRanges permitted = TypeRanges.ALL;
    // Types that a subscriber was granted last.
    private Optional<TypeRanges> granted = Optional.empty();
    // Of the identity that the connection has a place at.
    private long maxRate = Identity.UNLIMITED;
    private long maxLag = Identity.UNLIMITED;
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

    /** Takes the token of HELLO. Without a policy a token proves nothing, and is not looked at. */
    public void said(Token secret) {
        token = secret.isNone() ? Optional.empty() : Optional.of(TokenHash.of(secret));
        judge();
    }

    /** Judges the connection anew if the policy has changed: {@link CloseReason#REVOKED} if it has lost rights. */
    public void review() {
        if (control.policy() == judgedBy) {
            return;
        }
        boolean acted = mayAct();
        Optional<Identity> before = identity;
        judge();
        if (acted) {
            refusal = refusal.map(Refusal::text)
                    .or(() -> lostRights(before))
                    .map(text -> new Refusal(CloseReason.REVOKED, text));
        }
    }

    /** A text about the rights that the connection had as {@code before} and has lost; empty: it has lost none. */
    private Optional<String> lostRights(Optional<Identity> before) {
        if (before.isPresent() && identity.isPresent() && !before.get().name().equals(name)) {
            return Optional.of("it was " + before.get().name() + " and is " + name);
        }
        // A subscriber gets added types when it asks for them; lost types would make its count of skipped messages
        // wrong.
        return granted.filter(types -> !types.equals(types.intersect(permitted)))
                .map(types -> "types " + describe(types) + " were permitted, and " + describe(permitted) + " are now");
    }

    private void judge() {
        judgedBy = control.policy();
        Optional<Identity> now = token.isPresent() ? judgedBy.byToken(token.get(), peer) : judgedBy.byPeer(peer);
        refusal = judgedBy == AccessPolicy.EVERYBODY ? Optional.empty() : refusalOf(now);
        if (!mayAct() || now.isEmpty() || !name.equals(now.get().name())) {
            giveBackPlace();
        }
        identity = now;
        name = now.map(Identity::name).orElse("");
        permitted = now.flatMap(known -> known.types(role)).orElse(TypeRanges.ALL);
        maxLag = now.map(Identity::maxLag).orElse(Identity.UNLIMITED);
        if (mayAct() && now.isPresent()) {
            takePlace(now.get());
        }
    }

    private Optional<Refusal> refusalOf(Optional<Identity> found) {
        if (found.isEmpty()) {
            return Optional.of(new Refusal(CloseReason.NOT_AUTHENTICATED, unknown()));
        }
        if (found.get().types(role).isEmpty()) {
            String verb = role == Role.PUBLISHER ? "publish" : "subscribe";
            return Optional.of(
                    new Refusal(CloseReason.NOT_PERMITTED, found.get().name() + " may not " + verb));
        }
        return Optional.empty();
    }

    /** The text about a connection without an identity, which names all that it has shown but secrets. */
    private String unknown() {
        if (token.isPresent()) {
            return "the token is not one that is known here";
        }
        String needed = "HELLO with a token is needed here";
        return peer.certificate()
                .map(subject -> "no identity has the certificate " + Peer.printable(subject.getName())
                        + " (or none that may come from there): " + needed)
                .orElse(needed);
    }

    private void takePlace(Identity owner) {
        AccessControl.Use use = control.use(owner);
        if (place.isEmpty() && !use.addConnection(owner.maxConnections())) {
            refusal = Optional.of(new Refusal(
                    CloseReason.TOO_MANY_CONNECTIONS,
                    ShortText.there(owner.maxConnections(), "connection") + " of " + name
                            + " already, which is the limit"));
            return;
        }
        if (place.isEmpty()) {
            place = Optional.of(use);
        }
        maxRate = owner.maxRate();
    }

    /** Gives back the connection's place at its identity. Further calls do nothing. */
    public void giveBackPlace() {
        place.ifPresent(AccessControl.Use::removeConnection);
        place = Optional.empty();
        maxRate = Identity.UNLIMITED;
    }

    public boolean mayAct() {
        return refusal.isEmpty();
    }

    /** The reason why the connection may not act. */
    public Optional<Refusal> whyRefused() {
        return refusal;
    }

    /** Types that the connection may publish or get. Valid only if it {@link #mayAct}. */
    public TypeRanges permittedTypes() {
        return permitted;
    }

    /**
     * Grants a subscriber those of the wanted types that it may have.
     *
     * @param orFewer whether a subscriber that wants every type may be granted fewer
     * @throws FrameException the subscriber may have none of the types, or not every one
     */
    public TypeRanges grant(TypeRanges wanted, boolean orFewer) throws FrameException {
        TypeRanges both = wanted.intersect(permitted);
        if (both == null) {
            throw new FrameException(
                    CloseReason.NOT_PERMITTED,
                    "types " + describe(wanted) + " are wanted, and " + describe(permitted) + " are permitted");
        }
        if (wanted.isAll() && !permitted.isAll() && !orFewer) {
            throw new FrameException(
                    CloseReason.NOT_PERMITTED,
                    "every type is wanted, and " + describe(permitted) + " are permitted: ask for those");
        }
        granted = Optional.of(both);
        return both;
    }

    private static String describe(TypeRanges ranges) {
        return ranges.text(TEXT_RANGES);
    }

    /** Most bytes that a subscriber may be behind the head. */
    public long maxLag() {
        return maxLag;
    }

    /** Takes a replay slot for a subscriber, for {@link #endReplay} to give back; or returns why there is none. */
    public Optional<Refusal> beginReplay() {
        long most = identity.map(Identity::maxReplays).orElse(Identity.UNLIMITED);
        if (place.isPresent() && !place.get().beginReplay(most)) {
            return Optional.of(new Refusal(
                    CloseReason.TOO_MANY_CONNECTIONS,
                    ShortText.there(most, "subscriber") + " of " + name
                            + " already that get the stream from the journal, which is the limit"));
        }
        replay = place;
        return Optional.empty();
    }

    /** Gives the replay slot back: the subscriber has caught up, or is gone. */
    public void endReplay() {
        replay.ifPresent(AccessControl.Use::endReplay);
        replay = Optional.empty();
    }

    /** Whether the identity has a limit of bytes a second. */
    public boolean hasRate() {
        return maxRate != Identity.UNLIMITED;
    }

    /** Spends bytes of the rate, published or sent; only with one: see {@link #hasRate}. */
    public void spend(long bytes, long nowNanos) {
        pausedAtRate = maxRate;
        pausedUntilNanos = nowNanos + place.orElseThrow().took(role == Role.PUBLISHER, bytes, maxRate, nowNanos);
    }

    /** Whether the identity has moved more bytes than its rate allows so far. */
    public boolean isPaused(long nowNanos) {
        return hasRate() && pausedAtRate == maxRate && nowNanos - pausedUntilNanos < 0;
    }

    /**
     * The reason for the end of a subscriber that is too far behind.
     *
     * @param logBytes size of the log, the most bytes that any subscriber may be behind
     * @param byRate whether its rate has paused it since it was last at the head
     */
    public Refusal tooFarBehind(long logBytes, boolean byRate) {
        String behind = maxLag < logBytes
                ? "more than the " + maxLag + " bytes behind that " + name + " may be"
                : "more than the log's " + logBytes + " bytes behind";
        return byRate
                ? new Refusal(
                        CloseReason.RATE_LIMITED, behind + ": " + name + " is sent " + maxRate + " bytes a second")
                : new Refusal(CloseReason.SLOW_SUBSCRIBER, behind);
    }

    /** The identity's name; empty: there is no policy, or no identity is proved. Any thread. */
    public String name() {
        return name;
    }

    /** The kind of proof of the identity, for the log. */
    public String proof() {
        if (token.isPresent()) {
            return "token";
        }
        Identity proved = identity.orElseThrow();
        if (peer.certificate().filter(proved.certificates()::contains).isPresent()) {
            return "certificate";
        }
        return proved.isKnownByNetwork() ? "network" : "user";
    }
}
