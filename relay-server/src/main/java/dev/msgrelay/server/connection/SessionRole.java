package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.access.Refusal;
import io.netty.channel.ChannelHandler;
import java.nio.ByteBuffer;

/**
 * A publisher or a subscriber: the part of a connection that its {@link Session} does not know. It is the handler before the
 * session in the pipeline: it takes what is read, and leaves the life of the channel, and whatever it throws, to the session.
 * On the thread of the channel's loop.
 */
public interface SessionRole extends ChannelHandler {
    /** The channel is there. The rights say what the client may do by its address or certificate alone. */
    void opened();

    /** HELLO has been read, and is lawful; the role may refuse what it asks for. */
    void greeted(HelloFrame hello) throws FrameException;

    /**
     * A control frame whose turn it is, and that the session does not obey itself: of this role, or of a later version and
     * such that it may be passed over, as a role without frames of its own does with all.
     *
     * @param body big-endian, between position and limit
     * @throws FrameException the frame is malformed, or asks for something that the client may not have
     */
    default void control(int type, ByteBuffer body) throws FrameException {}

    /** The time, a few times a second, while the connection has not ended. What is due in the outbox is said. */
    void tick(long nowNanos);

    /** The end has been counted: what is left to say is said, or scheduled, and the channel closed in the end. */
    void lastWords(SessionState before, Refusal why);

    /** All is over at once: nothing is said and nothing sent any more, and memory goes back. More than once without harm. */
    void release();

    /** The channel is closed; its handlers hear of that next, if it has come to its loop. */
    default void channelClosed() {}

    Progress progress();

    /**
     * The input of a connection so far.
     *
     * @param framesRead whole frames
     * @param bytesRead bytes
     * @param unfinished the name of the frame that has come in part, for people; empty: none has
     * @param unfinishedControl whether that is a control frame
     * @param listening whether the relay reads the client at present
     * @param holdsUpOthers whether the connection has memory that other connections wait for in line
     */
    record Progress(
            long framesRead,
            long bytesRead,
            String unfinished,
            boolean unfinishedControl,
            boolean listening,
            boolean holdsUpOthers) {}

    /** Returns what reports say of the role alone. Any thread. */
    Report report(long headPosition);

    /** The part of a {@link dev.msgrelay.server.figures.ConnectionRow} that only the role knows; its fields are named as there. */
    record Report(
            String waitsFor,
            Policy policy,
            String types,
            long cursor,
            long lagBytes,
            long lagMessages,
            int replayPercent,
            long replayLeftMillis,
            long messages,
            long bytes) {}
}
