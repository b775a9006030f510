package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.access.Refusal;
import io.netty.channel.ChannelHandler;
import java.nio.ByteBuffer;

/**
 * A publisher or a subscriber: the part of a connection that its {@link Session} does not know. The role is the handler
 * before the session in the pipeline: it handles reads, and leaves the channel's life and its own exceptions to the
 * session. On the thread of the channel's loop.
 */
public interface SessionRole extends ChannelHandler {
    /** Called when the channel is active. The rights that the client has by address or certificate are known. */
    void opened();

    /** Handles a HELLO that was checked; throws if the role refuses a request in it. */
    void greeted(HelloFrame hello) throws FrameException;

    /**
     * Handles a control frame of this role, or ignores one of a later version.
     *
     * @param body big-endian, between position and limit
     * @throws FrameException the frame is malformed, or asks for something that the client may not have
     */
    default void control(int type, ByteBuffer body) throws FrameException {}

    /** Called a few times a second until the end; sends frames that are due. */
    void tick(long nowNanos);

    /** Tells the client why it ends, at once or later, then closes the channel. The end has been counted. */
    void lastWords(SessionState before, Refusal why);

    /** Gives all memory back; nothing is sent afterwards. Further calls do nothing. */
    void release();

    /** Called when the channel is closed, even if it is registered with no loop, so that no handler is called. */
    default void channelClosed() {}

    Progress progress();

    /**
     * The input of a connection so far.
     *
     * @param framesRead whole frames
     * @param unfinished a text about the frame that has come in part; empty: there is none
     * @param unfinishedControl whether that is a control frame
     * @param listening whether the relay reads the client at present
     * @param holdsUpOthers whether other connections wait in line for memory that this one has
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
