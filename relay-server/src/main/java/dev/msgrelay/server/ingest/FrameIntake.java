package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.access.Standing;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.net.Stranger;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.session.SessionState;
import io.netty.util.concurrent.Ticker;
import java.nio.ByteBuffer;

/**
 * From a publisher's bytes to runs: whole frames go into the order as one run, a control frame between them is obeyed, and
 * the rest of the bytes waits in the {@link FrameAssembler}.
 *
 * <pre>
 *   |begun frame| bytes read now ................. |
 *   | frame | frame | frame | frame | part of one  |
 *   `------- one run ---------------'  `-- kept ---'
 * </pre>
 *
 * Owned by the connection's thread; the counts may be read by any.
 */
final class FrameIntake {
    enum Taken {
        /** All are taken, but for a frame in part. */
        ALL,
        /** There was no room for a run: it waits, and what follows it. */
        NO_ROOM,
        /** HELLO asks for a name that others give: what follows it waits for the name. */
        NAME,
        /** The connection ends, or is about to: the bytes are dropped. */
        ENDED
    }

    private final Session session;
    private final Ticker clock;
    private final FrameAssembler assembler;
    private final NamedProducer producer;
    private volatile long messages;
    private volatile long bytes;

    FrameIntake(Session session, Ticker clock, FrameAssembler assembler, NamedProducer producer) {
        this.session = session;
        this.clock = clock;
        this.assembler = assembler;
        this.producer = producer;
    }

    long messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

    /** Whether the identity has published more than it may for now. */
    boolean isPaused() {
        Standing standing = session.standing();
        return standing.hasRate() && standing.isPaused(clock.nanoTime());
    }

    /** Takes bytes. A fault in them ends the connection. {@code room}: the port has just said that it has room. */
    Taken take(IngestPort port, ByteBuffer view, int offset, int length, boolean room) {
        if (producer.hasLostItsName()) {
            // A task ends the connection soon. What was dropped before may have begun a frame, so no byte is looked at.
            assembler.keep(view, 0, 0, 0);
            return Taken.ENDED;
        }
        int at = offset;
        int end = offset + length;
        boolean ready = room;
        try {
            // Once, but for control frames and for messages that were sent before.
            while (true) {
                RunScan run = port.walk(view, at, end - at, session.standing().types());
                if (run.frames() > 0) {
                    if (session.standing().refusal() != null) {
                        throw session.standing().refusal().exception();
                    }
                    if (producer.numbers().sendsAgain()) {
                        at += producer.numbers().drop(run);
                        continue;
                    }
                    if (!hand(port, run, ready)) {
                        assembler.keep(view, at, end - at, 0);
                        return Taken.NO_ROOM;
                    }
                    ready = false;
                }
                at += run.end();
                boolean message = run.problem() == null;
                if (session.state() == SessionState.CONNECTED && awaitsStranger(run, view, at, end - at)) {
                    assembler.keep(view, at, end - at, 0);
                    return Taken.ALL;
                }
                int frame = message ? run.incompleteFrame() : announced(run);
                if (message || end - at < frame) {
                    assembler.keep(view, at, end - at, frame);
                    return Taken.ALL;
                }
                // A slice is big-endian, as control frames are.
                int type = run.problemType();
                ByteBuffer body = view.slice(at + FrameLayout.HEADER_LENGTH, frame - FrameLayout.HEADER_LENGTH);
                at += frame;
                if (!session.control(type, body)) {
                    assembler.keep(view, at, 0, 0);
                    return Taken.ENDED;
                }
                if (producer.claims()) {
                    assembler.keep(view, at, end - at, 0);
                    return Taken.NAME;
                }
            }
        } catch (FrameException e) {
            assembler.keep(view, 0, 0, 0);
            session.close(e);
            return Taken.ENDED;
        }
    }

    /**
     * Looks for another protocol in the first bytes of a connection, which are no whole message. Returns whether they break a
     * rule, and more of them may say which protocol it is: they wait, as a header in part does.
     *
     * @throws FrameException it is another protocol
     */
    private boolean awaitsStranger(RunScan run, ByteBuffer view, int offset, int length) throws FrameException {
        boolean header = run.problem() == null || run.problem() == CloseReason.NOT_PERMITTED;
        Stranger who = Stranger.of(view, offset, length, header);
        if (who != null) {
            String fault = run.problem() == null ? "" : run.problemText();
            throw session.dialogue().refusalOf(who, run.problem(), fault);
        }
        return run.problem() != null && Stranger.mayFollow(view, offset, length, header);
    }

    private boolean hand(IngestPort port, RunScan run, boolean ready) throws FrameException {
        ProducerState numbers = producer.numbers();
        int frames = run.frames();
        numbers.checkNumbers(frames);
        int length = run.end();
        if (!ready && !port.makeReady() || !port.take(run, numbers.name())) {
            return false;
        }
        if (numbers.name() == null) {
            session.plain();
        }
        messages += frames;
        bytes += length;
        Standing standing = session.standing();
        if (standing.hasRate()) {
            standing.spend(length, clock.nanoTime());
        }
        return true;
    }

    /** Returns the length of the control frame whose header has come, if it may come now. */
    private int announced(RunScan run) throws FrameException {
        boolean control = run.problem() == CloseReason.RESERVED_TYPE;
        int type = run.problemType();
        if (!control || (!session.state().speaks() && type != ControlFrames.HELLO)) {
            throw new FrameException(run.problem(), run.problemText());
        }
        session.dialogue().checkTurn(type, session.state());
        FrameLayout.checkBodyLength(type, run.problemLength(), ControlFrames.MAX_CONTROL_BODY);
        return FrameLayout.frameLength(run.problemLength());
    }
}
