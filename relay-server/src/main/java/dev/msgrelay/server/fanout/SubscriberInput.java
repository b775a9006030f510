package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.session.Inbox;
import dev.msgrelay.server.session.Progress;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.session.SessionState;
import dev.msgrelay.server.tls.TlsRecords;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** The bytes that a subscriber sends: control frames, which the session obeys. Owned by the subscriber's thread. */
final class SubscriberInput implements SocketReads.Reader {
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
    public void moreExpected() {
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
                if (!any) {
                    // Before it is refused: a client that has said something is told why it ends.
                    any = true;
                    refuseStrangers(in);
                }
                inbox.take(in, this::onControl);
            }
        } catch (FrameException e) {
            session.close(e);
        } finally {
            in.release();
        }
    }

    private void refuseStrangers(ByteBuf in) throws FrameException {
        int at = in.readerIndex();
        if (in.readableBytes() > 1 && TlsRecords.mayBegin(in.getByte(at), in.getByte(at + 1))) {
            throw session.dialogue().refusalOfTls();
        }
        FrameException http = in.readableBytes() < Integer.BYTES
                ? null
                : session.dialogue().refusalOfHttp(session.state(), in.getInt(at));
        if (http != null) {
            throw http;
        }
    }

    private boolean onControl(int type, ByteBuffer body) throws FrameException {
        session.dialogue().checkTurn(type, session.state());
        return session.control(type, body);
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
