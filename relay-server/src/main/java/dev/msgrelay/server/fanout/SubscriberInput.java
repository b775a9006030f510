package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.net.Stranger;
import dev.msgrelay.server.session.Inbox;
import dev.msgrelay.server.session.Progress;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.session.SessionState;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** The bytes that a subscriber sends: control frames, which the session obeys. Owned by the subscriber's thread. */
final class SubscriberInput implements SocketReads.Reader, Inbox.Handler {
    /** A read: control frames, and few of them; with TLS or without. */
    static final int READ_BYTES = 1 << 10;

    private final Session session;
    private final Inbox inbox;
    private boolean any;

    SubscriberInput(Services services, Session session) {
        this.session = session;
        this.inbox = new Inbox(services.budget().pool(Part.CONTROL));
    }

    @Override
    public boolean mayRead() {
        return true;
    }

    @Override
    public ByteBuf whereToRead() {
        return session.channel().alloc().directBuffer(READ_BYTES, READ_BYTES);
    }

    @Override
    public void refused() {
        // No read is refused.
    }

    @Override
    public void readWasFull() {
        // Nobody waits for it.
    }

    @Override
    public boolean isDeaf() {
        return session.state().ended();
    }

    @Override
    public boolean mayEnd() {
        return session.mayEnd();
    }

    /** Returns whether the client has said something: plain ones have not. */
    boolean any() {
        return any;
    }

    /** Takes a read, and releases it. A fault in it ends the connection. */
    void came(ByteBuf in) {
        try {
            if (!session.state().ended()) {
                session.dialogue().heard();
                // Before it is refused: a client that has said something is told why it ends.
                any = true;
                inbox.take(in, this);
            }
        } catch (FrameException e) {
            session.close(e);
        } finally {
            in.release();
        }
    }

    @Override
    public boolean onControl(int type, ByteBuffer body) throws FrameException {
        session.dialogue().checkTurn(type, session.state());
        return session.control(type, body);
    }

    @Override
    public FrameException onStranger(Stranger who, FrameException fault) {
        return session.dialogue().refusalOf(who, fault.reason(), fault.getMessage());
    }

    Progress progress() {
        boolean begun = inbox.unfinished();
        String unfinished = begun ? "part of a control frame" : "";
        // Before WELCOME, which may have to wait for memory, the client is asked nothing.
        boolean listening = session.state() != SessionState.GREETED;
        return new Progress(inbox.frames(), inbox.bytes(), unfinished, begun, listening, false);
    }

    void release() {
        inbox.release();
    }
}
