package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.ShortText;
import java.time.Duration;
import java.util.Optional;

/**
 * The rights of one connection under the current policy: its identity, types, lag and rate; or the reason why it may
 * not act. The identity is the peer's, or, after a HELLO with a token, the token's. Owned by the connection's thread.
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
    // The counts of an identity that include this connection, and those that include its replay; empty for none.
    private Optional<AccessControl.Use> place = Optional.empty();
    private Optional<AccessControl.Use> replay = Optional.empty();
    private Optional<Refusal> refusal = Optional.empty();
    private TypeRanges permitted = TypeRanges.ALL;
    private Optional<TypeRanges> granted = Optional.empty();
    private long maxRate = Identity.UNLIMITED;
    private long maxLag = Identity.UNLIMITED;
    // The end of the pause after the last bytes; a reload that changes the rate ends the pause.
    private long pausedUntilNanos;
    private long pausedAtRate;
    // Volatile, since reports read the name on other threads.
    private volatile String name = "";

    public Rights(AccessControl control, Role role) {
        this.control = control;
        this.role = role;
    }

    /** Decides the rights of a new connection by its peer. */
    public void opened(Peer of) {
        peer = of;
        judge();
    }

    /** Decides the connection's rights by the token of its HELLO. Without a policy every token is accepted. */
    public void said(Token secret) {
        token = secret.isNone() ? Optional.empty() : Optional.of(TokenHash.of(secret));
        judge();
    }

    /** Decides the rights again if the policy has changed. A connection that loses rights is refused as REVOKED. */
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

    /** A text about the identity or types that a new policy has taken from the connection; empty if none was taken. */
    private Optional<String> lostRights(Optional<Identity> before) {
        if (before.isPresent() && identity.isPresent() && !before.get().name().equals(name)) {
            return Optional.of("it was " + before.get().name() + " and is " + name);
        }
        // A subscriber cannot go on with fewer types, because it would count the missing messages as skipped.
        return granted.filter(types -> !types.equals(types.intersect(permitted)))
                .map(types -> "types " + describe(types) + " were permitted, and " + describe(permitted) + " are now");
    }

    private void judge() {
        judgedBy = control.policy();
        Optional<Identity> now = token.isPresent() ? judgedBy.byProof(token.get(), peer) : judgedBy.byPeer(peer);
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
        String verb = role == Role.PUBLISHER ? "publish" : "subscribe";
        return found.get().types(role).isPresent()
                ? Optional.empty()
                : Optional.of(new Refusal(CloseReason.NOT_PERMITTED, found.get().name() + " may not " + verb));
    }

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
        if (place.isEmpty()) {
            AccessControl.Use use = control.use(owner);
            if (!use.addConnection(owner.maxConnections())) {
                refusal = tooMany(owner.maxConnections(), "connection", "");
                return;
            }
            place = Optional.of(use);
        }
        maxRate = owner.maxRate();
    }

    private Optional<Refusal> tooMany(long most, String what, String which) {
        String text = ShortText.there(most, what) + " of " + name + " already" + which + ", which is the limit";
        return Optional.of(new Refusal(CloseReason.TOO_MANY_CONNECTIONS, text));
    }

    /** Makes the identity no longer count this connection. Further calls do nothing. */
    public void giveBackPlace() {
        place.ifPresent(AccessControl.Use::removeConnection);
        place = Optional.empty();
        maxRate = Identity.UNLIMITED;
    }

    public boolean mayAct() {
        return refusal.isEmpty();
    }

    /** The reason why the connection may not act; empty if it may act. */
    public Optional<Refusal> whyRefused() {
        return refusal;
    }

    /** Types that the connection may publish or get, if {@link #mayAct} is true. */
    public TypeRanges permittedTypes() {
        return permitted;
    }

    /**
     * Grants a subscriber those of the wanted types that are permitted, and returns the granted types.
     *
     * @param orFewer whether a subscriber that wants every type also accepts fewer types
     * @throws FrameException no wanted type is permitted, or every type is wanted and some are not permitted
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

    /** Most bytes by which a subscriber may lag. */
    public long maxLag() {
        return maxLag;
    }

    /** Returns the interval that a subscriber gets that wants one, in ms; 0: it wants none. */
    public int grantInterval(int wantedMillis) {
        Duration least = identity.map(Identity::minInterval).orElse(Identity.LEAST_INTERVAL);
        return wantedMillis == 0 ? 0 : (int) Math.max(wantedMillis, least.toMillis());
    }

    /** Counts a replay of the identity, until {@link #endReplay}. Returns the refusal if there are too many. */
    public Optional<Refusal> beginReplay() {
        long most = identity.map(Identity::maxReplays).orElse(Identity.UNLIMITED);
        if (place.isPresent() && !place.get().beginReplay(most)) {
            return tooMany(most, "subscriber", " that get the stream from the journal");
        }
        replay = place;
        return Optional.empty();
    }

    /** Makes the identity no longer count the replay, which has caught up or ended. Further calls do nothing. */
    public void endReplay() {
        replay.ifPresent(AccessControl.Use::endReplay);
        replay = Optional.empty();
    }

    public boolean hasRate() {
        return maxRate != Identity.UNLIMITED;
    }

    /** Counts published or sent bytes against the identity's rate. Called only if {@link #hasRate} is true. */
    public void spend(long bytes, long nowNanos) {
        pausedAtRate = maxRate;
        pausedUntilNanos = nowNanos + place.orElseThrow().took(role == Role.PUBLISHER, bytes, maxRate, nowNanos);
    }

    /** Whether the connection shall wait, because its identity has moved more bytes than its rate allows. */
    public boolean isPaused(long nowNanos) {
        return hasRate() && pausedAtRate == maxRate && nowNanos - pausedUntilNanos < 0;
    }

    /**
     * The reason for the end of a subscriber that lags too much.
     *
     * @param logBytes size of the log: the most bytes by which any subscriber may lag
     * @param byRate whether the rate has paused this subscriber since the last moment at which it had no lag
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

    /** The identity's name; empty if there is no policy, or the connection has no identity. Any thread. */
    public String name() {
        return name;
    }

    /** The kind of proof by which the connection has its identity, for the log. */
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
