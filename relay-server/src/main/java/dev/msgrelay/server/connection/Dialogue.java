package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.AckFrame;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.net.Stranger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Checks whether a connection's control frames come in an allowed order, answers them, and stores those to send.
 *
 * <pre>
 *   HELLO   --> WELCOME      PING --> PONG      sent without a request: GOAWAY, PING
 * </pre>
 *
 * Owned by the connection's thread.
 */
public final class Dialogue {
    /** Most bytes of due frames other than SUBSCRIBED: the longest WELCOME and GOAWAY, and each short frame once. */
    public static final int MOST_BYTES = 1024;

    private static final int FIRST_ANSWERS = 4;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Bytes of a SUBSCRIBED, whose body is the request's number, a reserved field and a sequence. */
    public static final int ANSWER_BYTES = FrameLayout.HEADER_LENGTH + 16;

    private final Role role;
    private final RelayIdentity identity;
    private final Durability durability;
    private final Counters counters;
    private final Timeouts heartbeat;
    private Optional<Level> level = Optional.empty();
    private Durability.Life life;

    // The frames that are due. Only the newest of each kind is kept, so that a client that sends many requests and
    // reads nothing needs little memory. Each SUBSCRIBED is kept as a number; SubscriberConnection limits how many.
    private ByteBuffer welcome = NOTHING;
    private boolean welcomed;
    private long gapFrom;
    private long gapTo;
    private GapReason gapReason;
    private boolean ackDue;
    private long ackNumber;
    private long ackSequence;
    private boolean tellsLevels;
    private long ackWritten;
    private long ackForced;
    private int[] answers = {};
    private int answered;
    private boolean holdsAnswers;
    private boolean hidesPlace;
    private boolean pongDue;
    private long pongId;
    // 0 if no PING is due.
    private long pingId;
    private ByteBuffer goAway = NOTHING;

    Dialogue(Role role, RelayIdentity identity, Durability durability, Counters counters, Timeouts heartbeat) {
        this.role = role;
        this.identity = identity;
        this.durability = durability;
        this.counters = counters;
        this.heartbeat = heartbeat;
    }

    // Called when the connection has been added to the live ones. All live connections are ended before a later life of
    // the stream begins, so a connection sees only one life.
    void opened() {
        life = durability.life();
    }

    /** Returns the level of durability that HELLO asked for; empty if the feature LEVELS is not granted. */
    public Optional<Level> level() {
        return level;
    }

    /**
     * Checks whether a control frame may come now. Called when the header of the frame has come.
     *
     * @throws FrameException the frame may not come now, only the relay may send it, or it is unknown but mandatory
     */
    public void checkTurn(int type, SessionState state) throws FrameException {
        if (type == ControlFrames.HELLO) {
            if (state.speaks()) {
                throw outOfOrder(type, "a second time");
            }
            if (state == SessionState.PLAIN) {
                throw outOfOrder(type, "behind a message: it must be the first frame");
            }
            return;
        }
        if (!state.speaks()) {
            throw outOfOrder(type, "before HELLO");
        }
        switch (type) {
            case ControlFrames.PING, ControlFrames.PONG, ControlFrames.ERROR -> {}
            case ControlFrames.SUBSCRIBE -> {
                if (role == Role.PUBLISHER) {
                    throw new FrameException(
                            CloseReason.WRONG_ROLE, ControlFrames.name(type) + " on the port of publishers");
                }
            }
            case ControlFrames.WELCOME,
                    ControlFrames.SEQUENCE,
                    ControlFrames.GAP,
                    ControlFrames.ACK,
                    ControlFrames.GOAWAY,
                    ControlFrames.SUBSCRIBED,
                    ControlFrames.RETRY_AFTER -> throw outOfOrder(type, "is for the relay to send");
            default -> {
                if (ControlFrames.mustUnderstand(type)) {
                    throw new FrameException(
                            CloseReason.UNSUPPORTED,
                            ControlFrames.name(type) + " must be understood and is not: "
                                    + ControlFrames.name(ControlFrames.HELLO) + " to "
                                    + ControlFrames.name(ControlFrames.RETRY_AFTER) + " are");
                }
            }
        }
    }

    private static FrameException outOfOrder(int type, String what) {
        return new FrameException(CloseReason.PROTOCOL_ORDER, ControlFrames.name(type) + " " + what);
    }

    /** Answers PING, and checks PONG; returns false for other frames. */
    boolean answer(int type, ByteBuffer body) throws FrameException {
        switch (type) {
            case ControlFrames.PING -> {
                PingFrame.check(body);
                pong(PingFrame.id(body));
            }
            case ControlFrames.PONG -> PongFrame.check(body);
            default -> {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads a HELLO.
     *
     * @param otherPort a clause that tells a client at the wrong port about the port of the other role; may be empty
     * @throws FrameException HELLO is malformed, or asks for a feature that the relay does not have
     */
    HelloFrame hello(ByteBuffer body, String otherPort) throws FrameException {
        if (HelloFrame.commonVersion(body) == 0) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    "versions " + (body.getShort(body.position()) & 0xFFFF) + ".."
                            + (body.getShort(body.position() + Short.BYTES) & 0xFFFF) + " are not spoken here: "
                            + Protocol.VERSION + ".." + Protocol.VERSION + " are");
        }
        HelloFrame hello = HelloFrame.decode(body);
        if (hello.role() != role) {
            throw new FrameException(
                    CloseReason.WRONG_ROLE,
                    "HELLO of a " + word(hello.role()) + " on the port of " + word(role) + "s" + otherPort);
        }
        int unknown = Features.notUnderstood(hello.features());
        if (unknown != 0) {
            String form = "features 0x%08X must be understood and are not: 0x%08X are";
            throw new FrameException(
                    CloseReason.UNSUPPORTED, String.format(Locale.ROOT, form, unknown, Features.KNOWN));
        }
        return hello;
    }

    private static String word(Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the refusal of a client that speaks another protocol.
     *
     * @param reason the close reason of {@code fault}, a text that says why the client's bytes are no frame
     */
    public FrameException refusalOf(Stranger who, CloseReason reason, String fault) {
        return switch (who) {
            case PROXY_1, PROXY_2 -> new FrameException(CloseReason.UNSUPPORTED, who.refusalOfProxy());
            case TLS -> {
                counters.increment(Counter.TLS_ON_PLAIN_PORT);
                yield new FrameException(
                        CloseReason.TLS_FAILED,
                        "the client speaks TLS, and this port is for plain ones" + identity.hint(role, true));
            }
            case HTTP ->
                new FrameException(
                        CloseReason.UNEXPECTED_INPUT,
                        "an HTTP request on the port of " + word(role)
                                + "s: HTTP is for the port of --admin, 7402 by default");
            default -> new FrameException(reason, fault + "; it begins as " + who.words() + " does");
        };
    }

    /** Reads the requests in a HELLO that was checked and is allowed. */
    void greeted(HelloFrame said) throws FrameException {
        heartbeat.wanted(said.heartbeatMillis());
        if (role == Role.SUBSCRIBER || said.wants(Features.ACKS)) {
            level = granted(said);
        }
    }

    private Optional<Level> granted(HelloFrame said) throws FrameException {
        if (!durability.keepsStream()) {
            return Optional.empty();
        }
        if (durability.failed() && said.level() != Level.STREAM) {
            throw noMore(said.level());
        }
        boolean granted = said.wants(Features.LEVELS) && !durability.failed();
        return granted ? Optional.of(said.level()) : Optional.empty();
    }

    private static FrameException noMore(Level level) {
        return new FrameException(CloseReason.JOURNAL_FAILED, "nothing gets " + level.flag() + " any more");
    }

    /**
     * Makes WELCOME due; see {@link Session#welcome}.
     *
     * @param address the client's address, and {@code name} that of its identity, for a client that asks for PEER
     */
    void welcome(
            HelloFrame said,
            Policy policy,
            int features,
            int interval,
            long next,
            long accepted,
            long fork,
            String address,
            String name) {
        boolean rolledBack = fork != Durability.TODAY && fork != Durability.UNKNOWN;
        int flags = fork == Durability.TODAY ? 0 : WelcomeFrame.EPOCH_CHANGED;
        int granted = (level.isEmpty() ? features : features | Features.LEVELS) | Features.PEER;
        Epochs epochs = role == Role.SUBSCRIBER || said.wants(Features.ACKS) ? life.newest() : Epochs.NONE;
        if (!epochs.isNone()) {
            granted |= Features.EPOCHS;
        }
        WelcomeFrame answer = new WelcomeFrame(
                Protocol.VERSION,
                policy,
                rolledBack ? flags | WelcomeFrame.ROLLED_BACK : flags,
                said.features() & granted,
                life.epoch(),
                next,
                accepted,
                identity.maxBody(),
                heartbeat.intervalMillis(),
                heartbeat.idleMillis(),
                TypeRanges.MAX_RANGES,
                identity.server(),
                rolledBack ? fork : 0,
                said.wants(Features.EPOCHS) ? epochs : Epochs.NONE,
                interval,
                said.wants(Features.PEER) ? address : "",
                said.wants(Features.PEER) ? name : "");
        welcome(answer.encode());
        heartbeat.restart();
    }

    public void ping(long nowNanos) {
        pingId = heartbeat.ping(nowNanos);
    }

    void pong(long id) {
        pongDue = true;
        pongId = id;
    }

    /** Returns why a failure of the journal ends the connection; empty if the client does not wait for the journal. */
    Optional<FrameException> journalFailed() {
        return level.filter(waited -> waited != Level.STREAM).map(Dialogue::noMore);
    }

    void welcome(ByteBuffer frame) {
        welcome = frame;
    }

    /** Makes a GAP due, or extends the one that is due already up to {@code to}. */
    public void gap(long from, long to, GapReason reason) {
        if (gapTo == 0) {
            gapFrom = from;
            gapReason = reason;
        }
        gapTo = to;
    }

    /** Sets the last message that needs no ACK any more, given as the publisher's number and the sequence. */
    public void ackedUpTo(long number, long sequence) {
        ackNumber = number;
        ackSequence = sequence;
    }

    /** From now on each ACK includes levels of durability. The client knows the numbers given here already. */
    public void tellLevels(long written, long forced) {
        tellsLevels = true;
        ackWritten = written;
        ackForced = forced;
    }

    /** Sets the publisher's numbers of the last message that is written, and of the last one that is forced. */
    public void levels(long written, long forced) {
        if (written > ackWritten || forced > ackForced) {
            ackDue = true;
            ackWritten = written;
            ackForced = forced;
        }
    }

    public void ack(long number, long sequence) {
        if (number > ackNumber) {
            ackDue = true;
            ackNumber = number;
            ackSequence = sequence;
        }
    }

    /** Makes SUBSCRIBED due, as the answer to a SUBSCRIBE. {@link #answers} returns how many are due. */
    public void subscribed(int request) {
        if (answered == answers.length) {
            answers = Arrays.copyOf(answers, Math.max(FIRST_ANSWERS, 2 * answered));
        }
        answers[answered++] = request;
    }

    public int answers() {
        return answered;
    }

    /**
     * Sets what the stream has a place for.
     *
     * @param subscribed whether SUBSCRIBED waits although it is due
     * @param place whether PING says nothing about the stream
     */
    public void hold(boolean subscribed, boolean place) {
        holdsAnswers = subscribed;
        hidesPlace = place;
    }

    private boolean answersAreDue() {
        return answered > 0 && !holdsAnswers;
    }

    public void goAway(GoAwayFrame frame) {
        goAway = frame.encode();
    }

    /** Returns GOAWAY alone, which then is no longer due. Empty if GOAWAY is not due, or if WELCOME is not sent yet. */
    public ByteBuffer takeGoAway() {
        if (!welcomed) {
            return NOTHING;
        }
        ByteBuffer frame = goAway;
        goAway = NOTHING;
        return frame;
    }

    public boolean due() {
        return welcome != NOTHING
                || (welcomed && (gapTo > 0 || ackDue || answersAreDue() || pongDue || pingId > 0 || goAway != NOTHING));
    }

    /** Returns the largest number of bytes that {@link #putDue} would put now. */
    public int mostBytes() {
        return MOST_BYTES + answered * ANSWER_BYTES;
    }

    /**
     * Puts all frames that are due into {@code to}, but SUBSCRIBED where {@link #hold} holds it. No other is due then.
     *
     * @param next for a subscriber the sequence of the next message that it can get; otherwise 0
     * @param head the newest sequence of the stream
     * @return whether one of the frames tells a subscriber the number of its next message
     */
    public boolean putDue(ByteBuffer to, long next, long head) {
        boolean counts = welcome != NOTHING || gapTo > 0 || answersAreDue() || pingId > 0 && !hidesPlace;
        if (welcome != NOTHING) {
            to.put(welcome);
            welcome = NOTHING;
            welcomed = true;
        }
        if (gapTo > 0) {
            GapFrame.put(to, gapFrom, gapTo, gapReason);
            gapTo = 0;
        }
        if (ackDue) {
            if (tellsLevels) {
                AckFrame.put(to, ackNumber, ackSequence, ackWritten, ackForced);
            } else {
                AckFrame.put(to, ackNumber, ackSequence);
            }
            ackDue = false;
        }
        if (answersAreDue()) {
            for (int i = 0; i < answered; i++) {
                to.put(new SubscribedFrame(answers[i], next).encode());
            }
            answered = 0;
        }
        if (pingId > 0) {
            PingFrame.put(to, pingId, hidesPlace ? 0 : next, head);
            pingId = 0;
        }
        if (pongDue) {
            PongFrame.put(to, pongId);
            pongDue = false;
        }
        to.put(goAway);
        goAway = NOTHING;
        return counts;
    }
}
