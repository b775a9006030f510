package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ServerChannel;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The sockets of a relay, those that listen and those of clients, for an end that waits for nobody. The system keeps
 * the sockets of a process that was killed for as long as one of its threads hangs in a disk, and answers for it
 * meanwhile.
 *
 * <p>Any thread, but for those of the sockets' loops where that is said.
 */
public final class OpenSockets {
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    // One for all sockets.
    private final ChannelFutureListener forgetting = closed -> open.remove(closed.channel());

    /** Takes a socket, which is forgotten once it is closed. */
    public void add(Channel socket) {
        open.add(socket);
        socket.closeFuture().addListener(forgetting);
    }

    /**
     * Ends all connections, and frees the ports. Peers hear it at once, and nothing but that. A loop that hangs holds
     * nobody up where the transport is epoll; with another one its own connections stay. Not on a loop's thread: it
     * waits up to a second.
     */
    public void cut() {
        // The sockets themselves first: their loops may be busy, or hang.
        open.forEach(OpenSockets::shutDown);
        open.forEach(Channel::close);
        long deadline = System.nanoTime() + CLOSE_NANOS;
        for (Channel socket : open) {
            if (socket instanceof ServerChannel) {
                socket.closeFuture().awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        }
    }

    private static void shutDown(Channel socket) {
        if (socket instanceof UnixChannel unix && unix.fd() instanceof Socket system) {
            try {
                system.shutdown();
            } catch (IOException e) {
                // Its peer has gone already.
            }
        }
    }
}
