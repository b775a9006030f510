package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.RetryAfterFrame;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DuplexChannel;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Closes connections after their clients have been told why. */
public final class Closing {
    /** Time from the end of the output to the close. During this time, input is read and thrown away. */
    public static final int LINGER_MILLIS = 1000;

    /** The length of RETRY_AFTER and of an ERROR with the longest text, together. */
    public static final int ERROR_BYTES =
            RetryAfterFrame.FRAME_LENGTH + FrameLayout.HEADER_LENGTH + ErrorFrame.MIN_LENGTH + ErrorFrame.MAX_TEXT;

    private Closing() {}

    /**
     * Sends ERROR, or RETRY_AFTER and ERROR if a wait may help, and closes the channel a while later. A close while
     * input is unread would reset the connection, and the reset may overtake the ERROR. Called between two frames, on
     * the channel's loop; returns the write of the ERROR.
     */
    public static ChannelFuture say(Channel channel, Refusal why) {
        return say(channel, why, LINGER_MILLIS);
    }

    /** @param mostMillis longest time for a full socket to take the ERROR, not less than {@link #LINGER_MILLIS} */
    public static ChannelFuture say(Channel channel, Refusal why, long mostMillis) {
        ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(lastFrames(why)));
        closeLater(channel, mostMillis);
        // The output is ended only after the write, because its end would drop bytes that are not written yet.
        written.addListener(done -> endOrClose(channel));
        return written;
    }

    private static void endOrClose(Channel channel) {
        try {
            endOutput(channel);
            closeLater(channel);
        } catch (Throwable e) {
            // Netty only logs a listener's exception. An open channel would then read its end of input forever.
            channel.pipeline().fireExceptionCaught(e);
            channel.close();
        }
    }

    private static ByteBuffer lastFrames(Refusal why) {
        ByteBuffer error = ErrorFrame.encode(why.reason(), why.text());
        if (why.waitMillis() == Refusal.NO_WAIT) {
            return error;
        }
        ByteBuffer both = ByteBuffer.allocate(RetryAfterFrame.FRAME_LENGTH + error.remaining());
        RetryAfterFrame.put(both, why.waitMillis());
        return both.put(error).flip();
    }

    /** Returns whether the relay has ended its output, which it does after the ERROR. */
    static boolean outputEnded(Channel channel) {
        return channel instanceof DuplexChannel duplex && duplex.isOutputShutdown();
    }

    static void endOutput(Channel channel) {
        TlsHandler tls = TlsHandler.of(channel);
        if (tls != null) {
            tls.endOutput();
        } else if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        }
    }

    /** Closes after {@link #LINGER_MILLIS}. On the channel's loop. */
    public static void closeLater(Channel channel) {
        closeLater(channel, LINGER_MILLIS);
    }

    private static void closeLater(Channel channel, long millis) {
        Future<?> close = channel.eventLoop().schedule(() -> channel.close(), millis, TimeUnit.MILLISECONDS);
        // Otherwise the task would keep a closed channel in memory until the time is over.
        channel.closeFuture().addListener(closed -> close.cancel(false));
    }
}
