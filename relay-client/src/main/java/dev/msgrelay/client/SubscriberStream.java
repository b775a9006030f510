package dev.msgrelay.client;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameWalk;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.SequenceFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A subscriber's side of the frames behind WELCOME: messages with their numbers, gaps, answers. One object for all
 * connections. Owned by the thread that polls.
 */
final class SubscriberStream implements RelayLink.Handler {
    /** Most bytes of a run; a longer message comes alone. */
    private static final int LONGEST_RUN = 64 << 10;

    private static final ByteBuffer NO_MEMORY = ByteBuffer.allocate(0);

    private final SubscriberOptions options;
    private final Reconnector reconnector;
    private final StreamPosition position;
    private final boolean plain;
    private final TypeChanges changes;
    private final Consumer<SessionEvent> listener;
    private final Runnable onOpen;
    // Whether a message counts as received only once the handler has returned.
    private final boolean handles;
    private final boolean withState;
    private final Optional<StateView> view;
    private final OwnCertificate certificate;

    private MessageHandler handler;
    private boolean takesRuns;
    // A view of the reader's memory, as long as that stays the same.
    private ByteBuffer run = NO_MEMORY;
    private ByteBuffer viewed = NO_MEMORY;
    private TypeRanges greetedWith;
    // Whether the relay leaves out types that this client may not have.
    private boolean narrowed;
    private int maxRanges;
    private long head;
    private long messages;
    private long bytes;
    private boolean alive;
    private boolean unhandled;
    // Whether the last HELLO has asked for the whole state, and whether what it asked for has come to its end.
    private boolean asksAnew;
    private boolean complete = true;
    // Whether the place is enough for another program, and in another life of the relay: behind it nothing is missing
    // that was passed over, or that the rest of a state would bring.
    private boolean keepable = true;
    // Whether messages were passed over for newer ones that may not have come, and whether these may be gone, so that
    // the next HELLO asks for the whole state.
    private boolean passedOver;
    private boolean needsWhole;

    /**
     * @param kept where to go on; empty: the options say where to start
     * @param onOpen told that a connection has its WELCOME, before the messages that the same read may have brought
     */
    SubscriberStream(
            SubscriberOptions options,
            Optional<Position> kept,
            Reconnector reconnector,
            TypeChanges changes,
            Consumer<SessionEvent> listener,
            Runnable onOpen) {
        this.options = options;
        this.reconnector = reconnector;
        this.changes = changes;
        this.listener = listener;
        this.onOpen = onOpen;
        this.plain = options.plain();
        boolean mayResume = options.reconnect().rounds() > 0;
        this.handles = options.positions().isPresent() || options.retriesHandler();
        this.withState = options.fromState();
        this.view = options.view();
        this.certificate = new OwnCertificate(listener, System::currentTimeMillis);
        this.position = new StreamPosition(
                kept.map(Position::epoch).orElse(options.epoch()),
                kept.map(Position::epochs).orElse(Epochs.NONE),
                kept.map(Position::next).orElse(options.sequence()),
                mayResume,
                view.isPresent() ? gapsOf(view.get(), options.onGap()) : options.onGap());
    }

    private static Consumer<Gap> gapsOf(StateView view, Consumer<Gap> onGap) {
        return gap -> {
            view.gap(gap);
            onGap.accept(gap);
        };
    }

    /** The notices about the end of the certificate that this client shows. */
    OwnCertificate certificate() {
        return certificate;
    }

    /** Whether a state that was asked for has not come to its end. */
    boolean lacksState() {
        return !complete;
    }

    /** Tells that the state is late. */
    void stateIsLate(long afterMillis) {
        listener.accept(new SessionEvent.StateLate(reconnector.current(), afterMillis));
    }

    void handler(MessageHandler messageHandler) {
        handler = messageHandler;
        // A view looks at each message.
        takesRuns = view.isEmpty() && messageHandler instanceof RunHandler;
    }

    /** HELLO for the next connection, with this token. */
    ByteBuffer hello(Token token) {
        greetedWith = changes.forHello();
        long next = withState && (needsWhole || changes.isWidened()) ? 0 : position.next();
        asksAnew = withState && next <= 1;
        // Nothing is awaited until WELCOME.
        complete = true;
        return options.hello(token, greetedWith, position.epoch(), next).encode();
    }

    StreamPosition position() {
        return position;
    }

    /** Whether the position is one to keep; with the state it is only while the state is complete. */
    boolean isKeepable() {
        return keepable;
    }

    /** Newest sequence of the stream, from the relay's last PING; 0: not known yet. */
    long head() {
        return head;
    }

    int maxRanges() {
        return maxRanges;
    }

    long messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

    /** Whether the relay has sent anything beside WELCOME since the last call. */
    boolean takeAlive() {
        boolean was = alive;
        alive = false;
        return was;
    }

    @Override
    public void onMessage(int type, ByteBuffer body) {
        alive = true;
        messages++;
        bytes += FrameLayout.frameLength(body.remaining());
        long sequence = plain ? 0 : position.message();
        if (handles) {
            // A handler may have read the body by the time the view gets it.
            int from = body.position();
            int to = body.limit();
            handle(sequence, type, body);
            body.limit(to).position(from);
            if (view.isPresent()) {
                view.get().message(type, body);
            }
        } else if (view.isPresent()) {
            // The message does not come again: neither a view that is full nor a handler that throws keeps it from the
            // other.
            try {
                view.get().message(type, body);
            } finally {
                handler.onMessage(sequence, type, body);
            }
        } else {
            handler.onMessage(sequence, type, body);
        }
    }

    @Override
    public boolean takesRuns() {
        return takesRuns;
    }

    @Override
    public int onMessages(ByteBuffer source, int from, int to) {
        long walk = FrameWalk.over(source, from, Math.min(to, from + LONGEST_RUN), options.maxBody());
        int length = FrameWalk.bytes(walk);
        return length > 0 && handRun(view(source, from, length), FrameWalk.messages(walk)) ? length : 0;
    }

    /** Returns whether the handler has taken the run. */
    private boolean handRun(ByteBuffer frames, int count) {
        alive = true;
        long first = plain ? 0 : position.messages(count);
        int length = frames.remaining();
        boolean comesAgain = handles;
        unhandled = handles;
        try {
            comesAgain = !((RunHandler) handler).onRun(first, count, frames);
            unhandled = false;
        } finally {
            if (comesAgain) {
                position.back(first);
            } else {
                messages += count;
                bytes += length;
            }
        }
        return !comesAgain;
    }

    private ByteBuffer view(ByteBuffer source, int from, int length) {
        if (source != viewed) {
            viewed = source;
            run = source.duplicate();
        }
        // The order is set again: a handler may have changed it for the run before.
        return run.limit(from + length).position(from).order(ByteOrder.BIG_ENDIAN);
    }

    private void handle(long sequence, int type, ByteBuffer body) {
        unhandled = true;
        try {
            handler.onMessage(sequence, type, body);
            unhandled = false;
        } finally {
            if (unhandled) {
                position.back(sequence);
            }
        }
    }

    /** Whether a message is to come again, since the handler has thrown at it; asks once for each. */
    boolean takeUnhandled() {
        boolean was = unhandled;
        unhandled = false;
        return was;
    }

    @Override
    public void onWelcome(WelcomeFrame welcome) throws IOException {
        Endpoint endpoint = reconnector.current();
        if (!welcome.grants(Features.LEVELS) && options.level() != Level.STREAM) {
            throw RelayUnsuitableException.noLevel(endpoint, "durableOnly", options.level());
        }
        reconnector.welcomed();
        // The state comes whole over this connection, so there is nothing to be asked for with an older epoch.
        Optional<Epochs.Common> common = withState ? Optional.empty() : position.commonWith(welcome);
        if (common.isPresent()) {
            goBack(endpoint, welcome, common.get());
        }
        if (passedOver && !needsWhole && position.isOfALaterLife(welcome)) {
            needsWhole = true;
            throw new AskAgainException("asking for the whole state, of which a part may be gone");
        }
        maxRanges = welcome.maxRanges();
        boolean anew = withState && (asksAnew || position.isOther(welcome));
        if (anew && view.isPresent()) {
            view.get().beginAnew();
        }
        complete = !withState;
        keepable &= !withState;
        passedOver &= !anew;
        needsWhole &= !anew;
        listener.accept(new SessionEvent.Connected(endpoint, welcome, anew));
        if (position.isOther(welcome)) {
            listener.accept(
                    welcome.rolledBack()
                            ? new SessionEvent.StreamRolledBack(
                                    endpoint, position.epoch(), position.next() - 1, welcome.epoch(), welcome.fork())
                            : new SessionEvent.StreamChanged(
                                    endpoint, position.epoch(), position.next(), welcome.epoch(), welcome.next()));
            head = 0;
        }
        narrowed = welcome.grants(Features.NARROWED);
        position.welcome(welcome, narrowed || !greetedWith.isAll(), welcome.grants(Features.SEQUENCES), anew);
        changes.welcomed(position.next());
        onOpen.run();
    }

    private void goBack(Endpoint endpoint, WelcomeFrame welcome, Epochs.Common common) throws AskAgainException {
        long had = position.next() - 1;
        if (had >= common.changed()) {
            listener.accept(new SessionEvent.StreamRolledBack(
                    endpoint, position.epoch(), had, welcome.epoch(), common.changed()));
        }
        position.backTo(common);
        throw new AskAgainException("asking again with an older epoch");
    }

    @Override
    public void onPing(ByteBuffer body) throws IOException {
        alive = true;
        head = PingFrame.head(body);
        certificate.look(reconnector.current());
        // Next 0: the PING says nothing about the stream.
        long next = PingFrame.next(body);
        if (next == 0) {
            return;
        }
        position.leftOut(ControlFrames.PING, next);
        if (next == head + 1) {
            passedOver = false;
            keepable = true;
            if (!complete) {
                complete = true;
                listener.accept(new SessionEvent.StateComplete(reconnector.current(), next));
            }
        }
        if (complete && view.isPresent()) {
            view.get().completeAt(next);
        }
    }

    @Override
    public void onRetryAfter(int millis) {
        reconnector.retryAfter(millis);
    }

    @Override
    public void onGoAway(GoAwayFrame goAway) {
        reconnector.leaving(goAway);
        listener.accept(new SessionEvent.GoingAway(reconnector.current(), goAway));
    }

    @Override
    public void onControl(int type, ByteBuffer body) throws IOException {
        switch (type) {
            case ControlFrames.PONG -> PongFrame.check(body);
            case ControlFrames.SEQUENCE -> {
                SequenceFrame.check(body);
                position.leftOut(type, SequenceFrame.next(body));
            }
            case ControlFrames.GAP -> {
                GapFrame.check(body);
                alive = true;
                position.gap(GapFrame.from(body), GapFrame.to(body), GapFrame.reason(body));
                if (withState && GapFrame.reason(body) == GapReason.SUPERSEDED.code()) {
                    passedOver = true;
                    keepable = false;
                }
            }
            case ControlFrames.SUBSCRIBED -> {
                SubscribedFrame answer = SubscribedFrame.decode(body);
                position.leftOut(type, answer.sequence());
                position.filtered(!changes.answered(answer).isAll() || narrowed);
                if (view.isPresent() && changes.isWidened()) {
                    view.get().widened();
                }
            }
            default -> throw RelayLink.unexpected(type, "on the subscribe port");
        }
    }
}
