package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.access.Refusal;
import io.netty.channel.ChannelHandler;
import java.nio.ByteBuffer;

/**
 * A publisher or a subscriber: the part of a connection that its {@link Session} does not know. It is the handler
 * before the session in the pipeline: it handles reads, and leaves the life of the channel, and its own exceptions, to
 * the session. On the thread of the channel's loop.
 */
public interface SessionRole extends ChannelHandler {
    /** The channel is there. The rights say what the client may do by its address or certificate alone. */
    void opened();

    /** Handles a HELLO that is lawful; throws where the role refuses its wishes. */
    void greeted(HelloFrame hello) throws FrameException;

    /**
     * Handles a control frame of this role, or passes over one of a later version.
     *
     * @param body big-endian, between position and limit
     * @throws FrameException the frame is malformed, or asks for something that the client may not have
     */
    default void control(int type, ByteBuffer body) throws FrameException {}

    /** Looks at the time, a few times a second until the end, and sends the outbox. */
    void tick(long nowNanos);

    /** Sends or schedules the last words, and closes the channel then. The end has been counted. */
    void lastWords(SessionState before, Refusal why);

    /** Gives all memory back; nothing is sent any more. More than once without harm. */
    void release();

    /** Called when the channel is closed; its handlers hear of that next, if it has come to its loop. */
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

    /** Returns the role's part of a report. Any thread. */
    Report report(long headPosition);

    /** The role's part of a {@link dev.msgrelay.server.figures.ConnectionRow}, with the same names. */
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
