package dev.msgrelay.server.net;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Locale;

/** The system interface by which the relay uses its sockets. */
public enum Transport {
    /** epoll where it is available, else NIO. */
    AUTO,
    /** Linux's epoll through Netty's native part. */
    EPOLL,
    /** The JDK's selectors: available everywhere. */
    NIO;

    /** The transport's name on the command line. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the transport that AUTO means on this machine, or this transport if it is not AUTO.
     *
     * @throws IllegalArgumentException the transport is not available here; the message says why
     */
    public Transport resolve() {
        if (this == AUTO) {
            return Epoll.isAvailable() ? EPOLL : NIO;
        }
        if (this == EPOLL && !Epoll.isAvailable()) {
            throw new IllegalArgumentException(
                    "transport " + flag() + " is not available here: " + rootMessage(Epoll.unavailabilityCause()));
        }
        return this;
    }

    /** The transport that {@link #resolve} chooses, and the reason, for people. */
    public String text() {
        if (this != AUTO) {
            return this == NIO ? "nio (which cannot choose congestion control)" : flag();
        }
        return resolve() == EPOLL
                ? "epoll (auto: it is available here)"
                : "nio (auto: epoll, which can choose congestion control, is not available here: "
                        + rootMessage(Epoll.unavailabilityCause()) + ")";
    }

    /** The message of the innermost cause, such as why a native library could not be loaded. */
    public static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    /** The selector of one event loop; only for a resolved transport. */
    public IoHandlerFactory ioHandler() {
        return this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    public ServerChannel tcpListener() {
        return this == EPOLL ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    }

    public ServerChannel unixListener() {
        return this == EPOLL ? new EpollServerDomainSocketChannel() : new NioServerDomainSocketChannel();
    }

    public SocketAddress unixAddress(Path path) {
        return this == NIO ? UnixDomainSocketAddress.of(path) : new DomainSocketAddress(path.toString());
    }
}
