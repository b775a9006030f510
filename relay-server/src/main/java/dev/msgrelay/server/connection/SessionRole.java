package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.access.Refusal;
import io.netty.channel.ChannelHandler;
import java.nio.ByteBuffer;

/**
 * The part of a connection that differs between publishers and subscribers. The role is the handler before the {@link
 * Session} in the pipeline. It handles reads, but leaves the opening, the end and exceptions to the session. On the
 * thread of the channel's loop.
 */
public interface SessionRole extends ChannelHandler {
    /** Called when the channel is active. The rights by the client's address or certificate are known then. */
    void opened();

    /** Handles a HELLO that the session has checked; throws if the role refuses a request in it. */
    void greeted(HelloFrame hello) throws FrameException;

    /**
     * Handles a control frame for this role; ignores frame types of later protocol versions.
     *
     * @param body big-endian, between position and limit
     * @throws FrameException the frame is malformed, or asks for something that the client may not have
     */
    default void control(int type, ByteBuffer body) throws FrameException {}

    /** Called a few times a second until the end, for everything that depends on the time. */
    void tick(long nowNanos);

    /** Tells the client why the connection ends, now or later, then closes the channel. The end was counted. */
    void lastWords(SessionState before, Refusal why);

    /** Gives all memory back. The role sends nothing afterwards. Further calls do nothing. */
    void release();

    /** Called when the channel is closed, even if it is on no loop. Handlers are not called in that case. */
    default void channelClosed() {}

    Progress progress();

    /**
     * The input of a connection so far.
     *
     * @param framesRead number of complete frames
     * @param unfinished describes the frame of which only a part has come; empty if there is none
     * @param unfinishedControl whether the unfinished frame is a control frame
     * @param listening whether the relay reads from the client at present
     * @param holdsUpOthers whether other connections wait for memory that this connection uses
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

    /** The role's part of a {@link dev.msgrelay.server.figures.ConnectionRow}, whose components have the same names. */
    record Report(
            String waitsFor,
            Policy policy,
            int intervalMillis,
            String types,
            long cursor,
            long lagBytes,
            long lagMessages,
            int replayPercent,
            long replayLeftMillis,
            long messages,
            long bytes,
            long conflated) {}
}
