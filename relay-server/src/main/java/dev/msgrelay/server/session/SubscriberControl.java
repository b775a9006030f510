package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.config.SlowSubscriberPolicy;
import dev.msgrelay.server.log.Mark;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What a subscriber and the relay say to each other beside the stream. It takes the subscriber's control frames, and
 * keeps what is to be said until the stream stands between two frames.
 *
 * <pre>
 *   PLAIN --HELLO--> GREETED --between two frames: WELCOME, GAP--> OPEN
 * </pre>
 *
 * Owned by the session's thread; made when the first byte comes, so that a plain subscriber has none.
 */
final class SubscriberControl implements ControlReader.Handler {
    /** SUBSCRIBEs that wait to be answered; then no more is read until they are. One read may bring many more. */
    private static final int MAX_WAITING = 16;

    /** SUBSCRIBEs answered in one go: their answers fit into {@link #MOST_TO_SAY}. */
    private static final int MOST_ANSWERS = 64;

    /** Once the gate knows where it stands the writer waits: the second try holds. The third is for a host that stood still. */
    private static final int MOST_TRIES = 3;

    /** WELCOME with the longest name, and everything else that may be due at the same time. */
    private static final int MOST_TO_SAY = 4096;

    private enum State {
        PLAIN,
        GREETED,
        OPEN
    }

    private final SessionContext context;
    private final SubscriberSession session;
    private final Heartbeat heartbeat;
    private final ArrayDeque<SubscribeFrame> subscribes = new ArrayDeque<>();
    private State state = State.PLAIN;
    private HelloFrame hello;
    private String name = "";
    private boolean pongDue;
    private long pongId;
    private GoAwayFrame goAway;
    // What the subscriber has missed and was not told yet; 0: nothing.
    private long missedFrom;
    private long missedTo;

    SubscriberControl(SessionContext context, SubscriberSession session, long nowNanos) {
        this.context = context;
        this.session = session;
        this.heartbeat = new Heartbeat(context.clients(), nowNanos);
    }

    // ---- what the subscriber says -----------------------------------------------------------------------------

    @Override
    public boolean onControl(int type, ByteBuffer body) throws FrameException {
        if (type == ControlFrames.HELLO) {
            if (state != State.PLAIN) {
                throw ControlRules.outOfOrder(type, "a second time");
            }
            takeHello(body);
            return true;
        }
        if (state == State.PLAIN) {
            throw ControlRules.outOfOrder(type, "before HELLO");
        }
        switch (type) {
            case ControlFrames.SUBSCRIBE -> {
                subscribes.add(SubscribeFrame.decode(body));
                session.readMore(subscribes.size() < MAX_WAITING);
            }
            case ControlFrames.PING -> {
                PingFrame.check(body);
                pongDue = true;
                pongId = PingFrame.id(body);
            }
            case ControlFrames.PONG -> PongFrame.check(body);
            case ControlFrames.ERROR -> {
                session.endedByPeer(PeerText.error(body));
                return false;
            }
            default -> ControlRules.other(type);
        }
        return true;
    }

    private void takeHello(ByteBuffer body) throws FrameException {
        HelloFrame said = ControlRules.hello(body, Role.SUBSCRIBER);
        heartbeat.wanted(said.heartbeatMillis());
        name = said.name();
        hello = said;
        state = State.GREETED;
    }

    // ---- what is said to it -----------------------------------------------------------------------------------

    /** Whether it is one that understands control frames. */
    boolean greeted() {
        return state != State.PLAIN;
    }

    /** What it calls itself; may be empty. */
    String name() {
        return name;
    }

    /** Whether there is something to be said as soon as the stream stands between two frames. */
    boolean due() {
        return state == State.GREETED
                || (state == State.OPEN
                        && (missedTo > 0 || pongDue || goAway != null || heartbeat.pingDue() || !subscribes.isEmpty()));
    }

    /** The subscriber does not get these messages. */
    void missed(long from, long to) {
        if (state == State.OPEN) {
            missedFrom = missedTo == 0 ? from : missedFrom;
            missedTo = to;
        }
    }

    /** The relay will close the connection. */
    void goAway(int millis) {
        goAway = new GoAwayFrame(CloseReason.SHUTDOWN, millis, CloseReason.SHUTDOWN.text());
    }

    /** The GOAWAY frame that was not sent yet, for one that has been welcomed; otherwise null. */
    ByteBuffer takeGoAway() {
        if (goAway == null || state != State.OPEN) {
            return null;
        }
        ByteBuffer frame = goAway.encode();
        goAway = null;
        return frame;
    }

    /**
     * Says what is due. The stream stands between two frames, and may go on elsewhere afterwards.
     *
     * @param head where the stream ends, as far as the caller knows; may be moved on
     * @return what to send, between position and limit
     * @throws FrameException HELLO asked for what there is not
     */
    ByteBuffer say(SubscriberFeed feed, Mark head, long nowNanos) throws FrameException {
        ByteBuffer out = ByteBuffer.allocate(MOST_TO_SAY);
        if (state == State.GREETED) {
            welcome(feed, head, out);
            heartbeat.start(nowNanos);
            state = State.OPEN;
        }
        if (missedTo > 0) {
            GapFrame.put(out, missedFrom, missedTo, GapReason.SLOW);
            missedTo = 0;
        }
        long next = feed.cursor().boundary().sequence();
        for (int i = 0; i < MOST_ANSWERS && !subscribes.isEmpty(); i++) {
            SubscribeFrame wanted = subscribes.poll();
            out.put(new SubscribedFrame(wanted.request(), next).encode());
            feed.choose(wanted.types());
        }
        session.readMore(subscribes.size() < MAX_WAITING);
        if (heartbeat.pingDue()) {
            PingFrame.put(out, heartbeat.ping(nowNanos), next, head.sequence() - 1);
        }
        if (out.position() > 0) {
            // Each of these sets the subscriber's count; what follows does not.
            feed.told(next);
        }
        if (pongDue) {
            pongDue = false;
            PongFrame.put(out, pongId);
        }
        ByteBuffer leave = takeGoAway();
        if (leave != null) {
            out.put(leave);
        }
        return out.flip();
    }

    private void welcome(SubscriberFeed feed, Mark head, ByteBuffer out) throws FrameException {
        StreamCursor cursor = feed.cursor();
        HelloFrame said = hello;
        hello = null;
        // Anew: while this thread had no core the writer may have gone round the whole log. So again before each start.
        context.log().head().read(head);
        boolean otherEpoch = said.epoch() != 0 && said.epoch() != context.epoch();
        boolean resumes = said.start() == StartFrom.SEQUENCE;
        long wanted = resumes && !otherEpoch ? said.number() : 1;
        if (wanted > head.sequence()) {
            throw new FrameException(
                    CloseReason.BAD_START,
                    "sequence " + wanted + " is beyond the next one of this stream, " + head.sequence());
        }
        // From here on: until now it was a plain one, and may have skipped what it would be cut off for.
        session.policy(context.clients().grant(SlowSubscriberPolicy.of(said.policy())));
        if (resumes) {
            stand(cursor, wanted, head);
        } else if (said.start() == StartFrom.EARLIEST) {
            stand(cursor, StreamCursor.EARLIEST, head);
        } else {
            context.log().head().read(head);
            cursor.leaveFor(head);
        }
        long stands = cursor.boundary().sequence();
        feed.sequences(said.wants(Features.SEQUENCES));
        feed.choose(said.types());
        out.put(new WelcomeFrame(
                        Protocol.VERSION,
                        session.policy().wire(),
                        otherEpoch ? WelcomeFrame.EPOCH_CHANGED : 0,
                        said.features() & Features.SEQUENCES,
                        context.epoch(),
                        resumes ? wanted : stands,
                        0,
                        context.maxBody(),
                        heartbeat.intervalMillis(),
                        heartbeat.idleMillis(),
                        TypeRanges.MAX_RANGES,
                        context.server())
                .encode());
        if (resumes && stands > wanted) {
            GapFrame.put(out, wanted, stands - 1, GapReason.NOT_HELD);
        }
    }

    /** Goes back in the log. Its writer, on another thread, may have gone on before it learnt that it has to wait. */
    private void stand(StreamCursor cursor, long sequence, Mark head) {
        int tries = 0;
        do {
            context.log().head().read(head);
            cursor.goTo(sequence, head);
            session.movedBack();
        } while (!cursor.held() && ++tries < MOST_TRIES);
    }

    // ---- time -------------------------------------------------------------------------------------------------

    /** Something came of the subscriber, or its full socket took something. */
    void heard(long nowNanos) {
        heartbeat.heard(nowNanos);
    }

    /**
     * Called a few times a second.
     *
     * @param incomplete whether a frame of the subscriber was begun and is not complete
     * @return why it is to be closed, or null
     */
    CloseReason tick(long nowNanos, boolean incomplete) {
        if (state != State.OPEN && incomplete && heartbeat.handshakeOver(nowNanos)) {
            return CloseReason.HANDSHAKE_TIMEOUT;
        }
        return state != State.PLAIN && heartbeat.tick(nowNanos) ? CloseReason.IDLE_TIMEOUT : null;
    }

    /** The limit that {@link #tick} found passed. */
    String text(CloseReason reason) {
        return heartbeat.text(reason);
    }
}
