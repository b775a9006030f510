package dev.msgrelay.server.tls;

import dev.msgrelay.protocol.CloseReason;
import io.netty.channel.Channel;

/** Gets the results of handshakes, and other events to count. Called on the channel's loop. */
public interface TlsWatch {
    /** A handshake is done, and the connection is open. */
    void opened();

    /**
     * A connection has ended before it was open.
     *
     * @param fault a fault of the relay's own that was the reason; null: there was none
     */
    void ended(Channel channel, CloseReason reason, String text, Throwable fault);

    /** A connection has ended before its first byte, by its peer. */
    void probed(Channel channel);

    /** A client does not speak TLS. Called before {@link #ended}. */
    void plain();

    /** A write was larger than the small buffer, and there was no memory for a large one. */
    void small();
}
