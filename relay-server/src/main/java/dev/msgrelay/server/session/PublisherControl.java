package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.batch.RunScan;
import dev.msgrelay.server.log.Mark;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a publisher's connection speaks of itself: HELLO and WELCOME, the numbers of its messages, heartbeats.
 *
 * <pre>
 *               message
 *   CONNECTED -----------> PLAIN      not numbered, not asked for signs of life
 *       |  HELLO
 *       '----------> GREETED -----------------------------> OPEN
 *                     waits until all that was taken of       takes messages, ACKs
 *                     its name is in the stream; WELCOME
 * </pre>
 *
 * Owned by its session's thread.
 */
final class PublisherControl implements PublisherName.Holder {
    private enum State {
        CONNECTED,
        PLAIN,
        GREETED,
        OPEN
    }

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final SessionContext context;
    private final PublisherNames names;
    private final PublisherSession session;
    private final PublisherClock clock;

    private State state = State.CONNECTED;
    private Channel channel;
    private PublisherReplies replies;
    private HelloFrame hello;
    // With ACKS.
    private PublisherName name;
    // So many of the messages that come next were accepted before.
    private long duplicates;

    PublisherControl(SessionContext context, PublisherNames names, PublisherSession session) {
        this.context = context;
        this.names = names;
        this.session = session;
        this.clock = new PublisherClock(context.clients());
    }

    void connected(Channel with) {
        channel = with;
    }

    // ---- messages ---------------------------------------------------------------------------------------------

    /** Whether messages may be taken now. What says that they may also says WELCOME, where that has not been said. */
    boolean mayTake() throws FrameException {
        if (state == State.GREETED) {
            if (name != null && !name.settled()) {
                name.tellWhenSettled();
                return false;
            }
            open();
        }
        return true;
    }

    /** Who is told when the messages are in the stream, as the ring knows it; 0: nobody. */
    int owner() {
        return name == null ? 0 : name.owner();
    }

    /** So many of the next messages were accepted before, and are to be dropped. */
    long duplicates() {
        return duplicates;
    }

    void dropped(int messages) {
        duplicates -= messages;
        context.connections().duplicates(messages);
    }

    /** Whole messages are about to go into the ring. */
    void offering(int messages) throws FrameException {
        if (name != null && !name.hasNumbersFor(messages)) {
            throw new FrameException(
                    CloseReason.MESSAGE_GAP, "the numbers of " + name.name() + " are used up: they end at 2^63 - 1");
        }
    }

    /** Messages went into the ring. */
    void accepted(int messages) {
        if (name != null) {
            name.accept(messages);
        } else if (state == State.CONNECTED) {
            state = State.PLAIN;
        }
    }

    // ---- control frames ---------------------------------------------------------------------------------------

    /**
     * The header of a control frame has come: whether it may come now, and be so long.
     *
     * @param scan which has stopped at it
     */
    void announced(RunScan scan) throws FrameException {
        int type = scan.problemType();
        if (state == State.CONNECTED || state == State.PLAIN) {
            if (type != ControlFrames.HELLO) {
                throw new FrameException(scan.problem(), scan.problemText());
            }
            if (state == State.PLAIN) {
                throw ControlRules.outOfOrder(type, "behind a message: it must be the first frame");
            }
        }
        FrameLayout.checkBodyLength(type, scan.problemLength(), ControlFrames.MAX_CONTROL_BODY);
        if (state == State.OPEN) {
            checkOrder(type);
        }
    }

    private static void checkOrder(int type) throws FrameException {
        switch (type) {
            case ControlFrames.PING, ControlFrames.PONG, ControlFrames.ERROR -> {}
            case ControlFrames.HELLO -> throw ControlRules.outOfOrder(type, "a second time");
            case ControlFrames.SUBSCRIBE ->
                throw new FrameException(
                        CloseReason.WRONG_ROLE, ControlFrames.name(type) + " on the port of publishers");
            default -> ControlRules.other(type);
        }
    }

    /**
     * A whole control frame, which was {@link #announced}.
     *
     * @param body big-endian, between position and limit
     * @return false where the publisher has ended the connection with it
     */
    boolean handle(int type, ByteBuffer body) throws FrameException {
        switch (type) {
            case ControlFrames.HELLO -> greet(body);
            case ControlFrames.PING -> {
                PingFrame.check(body);
                replies.pong(PingFrame.id(body));
            }
            case ControlFrames.PONG -> PongFrame.check(body);
            case ControlFrames.ERROR -> {
                session.endedByPeer(PeerText.error(body));
                return false;
            }
            default -> {} // of a later version, which it may be passed over by
        }
        return true;
    }

    private void greet(ByteBuffer body) throws FrameException {
        HelloFrame said = ControlRules.hello(body, Role.PUBLISHER);
        hello = said;
        replies = new PublisherReplies(channel);
        state = State.GREETED;
        if (said.wants(Features.ACKS)) {
            name = names.connect(said.name(), this);
            if (name == null) {
                throw new FrameException(
                        CloseReason.TOO_MANY_NAMES,
                        "HELLO: " + PublisherNames.MAX_NAMES + " names are known already, which is the limit");
            }
        }
        LOG.debug("publisher {} said HELLO{}", session.peer(), name == null ? "" : ", with ACKS");
    }

    private void open() throws FrameException {
        long known = name == null ? 0 : name.accepted();
        boolean otherEpoch = hello.epoch() != 0 && hello.epoch() != context.epoch();
        if (name != null) {
            long number = hello.number();
            if (known == 0) {
                name.startAt(Math.max(1, number));
            } else if (number > known + 1 && otherEpoch) {
                // It was with another relay meanwhile: what is missing here was acknowledged there.
                name.goOnAt(number);
            } else if (number > known + 1) {
                throw new FrameException(
                        CloseReason.MESSAGE_GAP,
                        "HELLO: number " + number + " is above accepted + 1 = " + (known + 1) + " of " + name.name());
            } else if (number > 0) {
                duplicates = known + 1 - number;
            }
        }
        clock.hello(hello.heartbeatMillis());
        state = State.OPEN;
        if (name != null) {
            replies.ackedUpTo(name.packed());
        }
        replies.welcome(new WelcomeFrame(
                        Protocol.VERSION,
                        Policy.RELAY_DEFAULT,
                        otherEpoch ? WelcomeFrame.EPOCH_CHANGED : 0,
                        hello.features() & Features.ACKS,
                        context.epoch(),
                        newestSequence() + 1,
                        known,
                        context.maxBody(),
                        clock.intervalMillis(),
                        clock.idleMillis(),
                        TypeRanges.MAX_RANGES,
                        context.server())
                .encode());
    }

    private long newestSequence() {
        Mark head = new Mark();
        context.log().head().read(head);
        return head.sequence() - 1;
    }

    // ---- what it is told --------------------------------------------------------------------------------------

    @Override
    public void nameTaken() {
        session.nameTaken(name.name());
    }

    @Override
    public void settled() {
        session.scheduleResume();
    }

    @Override
    public void packed() {
        if (acknowledges()) {
            replies.ack(name.packed(), name.packedSequence());
            replies.send();
        }
    }

    private boolean acknowledges() {
        return state == State.OPEN && name != null;
    }

    /** Sends what is due, if the last write is done. */
    void send() {
        if (replies != null) {
            replies.send();
        }
    }

    /** The relay begins to drain. */
    void goAway(int millis) {
        if (saidHello()) {
            replies.goAway(new GoAwayFrame(CloseReason.SHUTDOWN, millis, CloseReason.SHUTDOWN.text()).encode());
            replies.send();
        }
    }

    /** ERROR follows. */
    void sendLast() {
        if (acknowledges()) {
            replies.ack(name.packed(), name.packedSequence());
        }
        if (replies != null) {
            replies.sendLast();
        }
    }

    // ---- time -------------------------------------------------------------------------------------------------

    /** Something has come. */
    void heard() {
        clock.heard();
    }

    /**
     * A few times a second.
     *
     * @param reading whether the relay reads this publisher at present
     * @param begun whether a part of a control frame is there
     */
    void tick(long nowNanos, boolean reading, boolean begun) {
        if (state == State.CONNECTED && clock.helloTooLong(nowNanos, begun)) {
            session.fail(CloseReason.HANDSHAKE_TIMEOUT, clock.text(CloseReason.HANDSHAKE_TIMEOUT));
        } else if (state == State.OPEN) {
            if (clock.silentTooLong(nowNanos, reading)) {
                session.fail(CloseReason.IDLE_TIMEOUT, clock.text(CloseReason.IDLE_TIMEOUT));
            } else if (clock.pingDue()) {
                replies.ping(clock.ping(nowNanos), newestSequence());
                replies.send();
            }
        }
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    boolean saidHello() {
        return state == State.GREETED || state == State.OPEN;
    }

    /** Its name in the log, behind its address. */
    String label() {
        return hello == null || hello.name().isEmpty() ? "" : " (" + PeerText.printable(hello.name()) + ")";
    }

    /** The connection is gone, and nothing of it is left to hand in. */
    void release() {
        if (name != null) {
            names.disconnect(name, this);
        }
        if (replies != null) {
            replies.release();
            replies = null;
        }
    }
}
