package dev.msgrelay.client;

import dev.msgrelay.protocol.AckFrame;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A publisher's side of the relay's frames: numbers, acknowledgements, PONG, GOAWAY. One object for all connections.
 * Owned by the publisher's I/O thread.
 */
final class PublisherStream implements RelayLink.Handler {
    private final PublisherOptions options;
    private final Reconnector reconnector;
    private final SendQueue queue;
    private final SentFrames sent;
    private final Confirmations confirmations;
    private final Consumer<SessionEvent> listener;
    private final OwnCertificate certificate;

    private long epoch;
    private Epochs epochs;
    // Last number up to which the user was told which acknowledged messages are gone.
    private long toldGone;
    private boolean welcomed;
    private boolean leaving;
    private boolean alive;

    private volatile long firstNumber;
    private volatile int maxBody;

    PublisherStream(
            PublisherOptions options,
            Reconnector reconnector,
            SendQueue queue,
            SentFrames sent,
            Confirmations confirmations,
            Consumer<SessionEvent> listener) {
        this.options = options;
        this.reconnector = reconnector;
        this.queue = queue;
        this.sent = sent;
        this.confirmations = confirmations;
        this.listener = listener;
        this.certificate = new OwnCertificate(listener, System::currentTimeMillis);
        this.maxBody = options.maxBody();
        this.firstNumber = options.firstNumber();
        this.epoch = options.firstEpoch();
        this.epochs = options.firstEpochs();
        sent.number(firstNumber);
    }

    /** HELLO for the next connection, with this token. */
    ByteBuffer hello(Token token) {
        leaving = false;
        return options.hello(token, epoch, options.acks() ? sent.first() : 0);
    }

    /** The notices about the end of the certificate that this client shows. */
    OwnCertificate certificate() {
        return certificate;
    }

    /** Whether the relay will close this connection, and takes no more messages. */
    boolean isLeaving() {
        return leaving;
    }

    /** Number of this publisher's first message; 0: not known yet. Any thread. */
    long firstNumber() {
        return firstNumber;
    }

    /** Longest body in bytes that both publisher and relay take. Any thread. */
    int maxBody() {
        return maxBody;
    }

    /** Whether the relay has sent anything beside WELCOME since the last call. */
    boolean takeAlive() {
        boolean was = alive;
        alive = false;
        return was;
    }

    @Override
    public void onMessage(int type, ByteBuffer body) throws IOException {
        // A message to a plain publisher is ignored, as always.
        if (!options.plain()) {
            throw RelayLink.unexpected(type, "is a message on the publish port");
        }
    }

    @Override
    public void onWelcome(WelcomeFrame welcome) throws IOException {
        Endpoint endpoint = reconnector.current();
        if (options.acks() && !welcome.grants(Features.ACKS)) {
            throw new RelayUnsuitableException("the relay at " + endpoint + " grants no acknowledgements");
        }
        if (!welcome.grants(Features.LEVELS) && options.level() != Level.STREAM) {
            throw RelayUnsuitableException.noLevel(endpoint, "acks", options.level());
        }
        reconnector.welcomed();
        goBackIfUnknown(welcome);
        maxBody = Math.min(options.maxBody(), welcome.maxBody());
        emit(new SessionEvent.Connected(endpoint, welcome, false));
        if (options.acks()) {
            number(welcome);
        } else {
            confirmations.startAsking(welcome.heartbeatMillis());
        }
        long before = epoch;
        epoch = welcome.epoch();
        epochs = welcome.epochs();
        if (!welcome.epochChanged()) {
            return;
        }
        long kept = queue.acceptedMessages() - queue.forgottenMessages();
        if (options.acks() && welcome.rolledBack()) {
            // The relay does not know what it has told this publisher, and may report the same messages as gone again.
            long from = Math.max(welcome.fork(), toldGone + 1);
            toldGone = sent.first() - 1;
            if (from <= toldGone) {
                emit(new SessionEvent.AcknowledgedGone(endpoint, before, epoch, from, toldGone, kept));
            }
        } else {
            emit(new SessionEvent.RelayRestarted(endpoint, before, epoch, kept));
        }
    }

    /**
     * The next HELLO says an older epoch if the relay knows one: then it says which of the acknowledged messages are
     * gone.
     */
    private void goBackIfUnknown(WelcomeFrame welcome) throws AskAgainException {
        boolean unknown = options.acks() && epoch != 0 && welcome.epochChanged() && !welcome.rolledBack();
        Optional<Epochs.Common> common =
                unknown ? Optional.ofNullable(epochs.commonWith(welcome.epochs())) : Optional.empty();
        if (common.isPresent()) {
            epoch = common.get().epoch();
            epochs = common.get().older();
            throw new AskAgainException("asking again with an older epoch");
        }
    }

    @Override
    public void onPing(ByteBuffer body) {
        alive = true;
        certificate.look(reconnector.current());
    }

    @Override
    public void onRetryAfter(int millis) {
        reconnector.retryAfter(millis);
    }

    @Override
    public void onGoAway(GoAwayFrame goAway) {
        leaving = true;
        confirmations.stopAsking();
        reconnector.leaving(goAway);
        emit(new SessionEvent.GoingAway(reconnector.current(), goAway));
    }

    @Override
    public void onControl(int type, ByteBuffer body) throws IOException {
        if (type == ControlFrames.PONG) {
            PongFrame.check(body);
            alive = true;
            confirmations.answered(PongFrame.id(body));
            return;
        }
        if (type != ControlFrames.ACK || !options.acks()) {
            throw RelayLink.unexpected(type, "to a publisher that did not ask for it");
        }
        AckFrame.check(body);
        alive = true;
        long number = AckFrame.number(body);
        long settled = AckFrame.number(body, options.level());
        sent.acknowledged(settled, settled == number ? AckFrame.sequence(body) : 0);
    }

    /** Tells how many messages are in doubt, as the connection is lost. */
    void tellDoubt() {
        long messages = confirmations.open();
        if (messages > 0) {
            emit(new SessionEvent.InDoubt(reconnector.current(), messages, confirmations.openBytes()));
        }
    }

    private void number(WelcomeFrame welcome) throws FrameException {
        long accepted = welcome.accepted();
        if (accepted == Long.MAX_VALUE) {
            throw new FrameException(
                    CloseReason.MESSAGE_GAP, "WELCOME has accepted " + accepted + ", which leaves no number");
        } else if (sent.first() == 0) {
            sent.number(accepted + 1);
            firstNumber = accepted + 1;
        } else if (accepted > 0 && accepted < sent.first() - 1 && !welcome.epochChanged()) {
            throw new FrameException(
                    CloseReason.MESSAGE_GAP,
                    "WELCOME has accepted only " + accepted + ", this publisher goes on with " + sent.first());
        } else if (accepted >= sent.first() && !welcomed) {
            sent.acceptedBefore(accepted);
        } else if (accepted > 0) {
            sent.accepted(accepted);
        }
        welcomed = true;
    }

    private void emit(SessionEvent event) {
        listener.accept(event);
    }
}
