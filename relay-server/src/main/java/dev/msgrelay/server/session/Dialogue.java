package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import java.nio.ByteBuffer;

/**
 * The control frames of a connection, whatever its role: which one may come when, what is answered, and what is due.
 *
 * <pre>
 *   HELLO   --> WELCOME      PING --> PONG      GOAWAY, PING: the relay's own
 * </pre>
 *
 * Owned by the connection's thread.
 */
public final class Dialogue {
    private final Role role;
    private final RelayIdentity identity;
    private final Durability durability;
    private final Heartbeat heartbeat;
    // Null before HELLO.
    private Outbox outbox;
    // How far messages are to get, or must have got, where LEVELS is granted; null without.
    private Level level;

    Dialogue(Role role, RelayIdentity identity, Durability durability, ClientConfig clients, LimitsConfig limits) {
        this.role = role;
        this.identity = identity;
        this.durability = durability;
        this.heartbeat = new Heartbeat(clients, limits);
    }

    /** What is due to be said; null before HELLO. */
    public Outbox outbox() {
        return outbox;
    }

    /** How far messages are to get, or must have got, where LEVELS is granted; null without. */
    public Level level() {
        return level;
    }

    Heartbeat heartbeat() {
        return heartbeat;
    }

    /** Something has come. */
    public void heard() {
        heartbeat.heard();
    }

    /**
     * The turn of a control frame, whose header has come, or all of it.
     *
     * @throws FrameException the frame may not come now
     */
    public void checkTurn(int type, SessionState state) throws FrameException {
        if (type == ControlFrames.HELLO) {
            if (state.speaks()) {
                throw Handshake.outOfOrder(type, "a second time");
            }
            if (state == SessionState.PLAIN) {
                throw Handshake.outOfOrder(type, "behind a message: it must be the first frame");
            }
        } else if (!state.speaks()) {
            throw Handshake.outOfOrder(type, "before HELLO");
        } else if (type == ControlFrames.SUBSCRIBE && role == Role.PUBLISHER) {
            throw new FrameException(CloseReason.WRONG_ROLE, ControlFrames.name(type) + " on the port of publishers");
        } else if (type != ControlFrames.SUBSCRIBE
                && type != ControlFrames.PING
                && type != ControlFrames.PONG
                && type != ControlFrames.ERROR) {
            Handshake.other(type);
        }
    }

    /**
     * Answers PING, and takes PONG.
     *
     * @return false: the frame is another one
     */
    boolean answer(int type, ByteBuffer body) throws FrameException {
        switch (type) {
            case ControlFrames.PING -> {
                PingFrame.check(body);
                outbox.pong(PingFrame.id(body));
            }
            case ControlFrames.PONG -> PongFrame.check(body);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** HELLO has come, of a client that may say it. */
    void greeted(HelloFrame said) throws FrameException {
        heartbeat.wanted(said.heartbeatMillis());
        boolean levels = role == Role.SUBSCRIBER || said.wants(Features.ACKS);
        level = levels ? Handshake.level(durability, said) : null;
        outbox = new Outbox();
    }

    /** WELCOME is due; as the session says it. */
    void welcome(HelloFrame said, Policy policy, int features, long next, long accepted, long fork) {
        int granted = level == null ? features : features | Features.LEVELS;
        outbox.welcome(Handshake.welcome(identity, said, heartbeat, policy, granted, next, accepted, fork));
        heartbeat.restart();
    }

    /** A PING is due now. */
    public void ping(long nowNanos) {
        outbox.ping(heartbeat.ping(nowNanos));
    }

    /** GOAWAY is due. */
    void goAway(CloseReason reason, int closesInMillis) {
        outbox.goAway(new GoAwayFrame(reason, closesInMillis, reason.text()));
    }

    /** Why the client cannot stay once the journal has failed; null: it does not wait for the journal. */
    Refusal journalFailed() {
        if (level == null || level == Level.STREAM) {
            return null;
        }
        FrameException why = Handshake.noMore(level);
        return new Refusal(why.reason(), why.getMessage());
    }
}
