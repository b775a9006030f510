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
 * All sockets of a relay, listening ones and clients'. A relay closes them if its disk hangs, because a thread in a
 * disk call keeps even a killed process alive, and the system would still accept connections for that process. Any
 * thread.
 */
public final class OpenSockets {
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private final ChannelFutureListener forgetting = closed -> open.remove(closed.channel());

    public void add(Channel socket) {
        open.add(socket);
        socket.closeFuture().addListener(forgetting);
    }

    /**
     * Ends all connections, without a GOAWAY, and frees the TCP ports. With epoll this works even while a loop hangs;
     * with NIO the connections of that loop stay open. Waits up to a second, so it is not called on a loop's thread.
     */
    public void cut() {
        // The system's call comes first, because it needs no loop, and a loop may be busy or hang.
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
                // The peer is gone already.
            }
        }
    }
}
