package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;

/** How the relay ends a connection that shall know why. */
public final class Closing {
    /** For so long what still comes is read and thrown away. */
    public static final int LINGER_MILLIS = 1000;

    /** The length of an ERROR with the longest text. */
    public static final int ERROR_BYTES = FrameLayout.HEADER_LENGTH + ErrorFrame.MIN_LENGTH + ErrorFrame.MAX_TEXT;

    private Closing() {}

    /**
     * Sends ERROR, between two frames, and closes a while later: to close with unread input resets the connection, and
     * the reset may overtake the error. On the channel's loop.
     *
     * @return told when the ERROR is with the system, or has failed
     */
    public static ChannelFuture say(Channel channel, CloseReason reason, String text) {
        ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(ErrorFrame.encode(reason, text)));
        // Only then: a close drops the bytes that are still to be written.
        written.addListener(done -> endOutput(channel));
        closeLater(channel);
        return written;
    }

    /** Whether the last word is out: nothing is said any more. */
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

    /** Closes after {@link #LINGER_MILLIS}, whatever is said until then. On the channel's loop. */
    public static void closeLater(Channel channel) {
        channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }
}
