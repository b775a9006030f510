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

/** The way in which sockets are driven. */
public enum Transport {
    /** epoll where it is there, else NIO. */
    AUTO,
    /** Linux's epoll through Netty's native part. */
    EPOLL,
    /** The JDK's selectors: everywhere. */
    NIO;

    /** Returns the name as it is written on the command line. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the transport that AUTO means on this machine.
     *
     * @throws IllegalArgumentException the transport is not available here; the message says why
     */
    public Transport resolve() {
        switch (this) {
            case AUTO:
                return Epoll.isAvailable() ? EPOLL : NIO;
            case EPOLL:
                require(Epoll.isAvailable(), Epoll.unavailabilityCause());
                return this;
            default:
                return this;
        }
    }

    /** Returns the choice of {@link #resolve}, and why, for people. */
    public String text() {
        if (this != AUTO) {
            return flag();
        }
        return resolve() == EPOLL
                ? "epoll (auto: it is available here)"
                : "nio (auto: epoll is not available here: " + rootMessage(Epoll.unavailabilityCause()) + ")";
    }

    private void require(boolean available, Throwable cause) {
        if (!available) {
            throw new IllegalArgumentException("transport " + flag() + " is not available here: " + rootMessage(cause));
        }
    }

    private static String rootMessage(Throwable cause) {
        Throwable root = cause;
        while (root != null && root.getCause() != null) {
            root = root.getCause();
        }
        return root == null ? "unknown reason" : String.valueOf(root.getMessage());
    }

    /** The selector of one event loop; of a resolved transport. */
    public IoHandlerFactory ioHandler() {
        return switch (this) {
            case EPOLL -> EpollIoHandler.newFactory();
            default -> NioIoHandler.newFactory();
        };
    }

    /** A new listening channel for TCP. */
    public ServerChannel tcpListener() {
        return switch (this) {
            case EPOLL -> new EpollServerSocketChannel();
            default -> new NioServerSocketChannel();
        };
    }

    /** A new listening channel for Unix domain sockets. */
    public ServerChannel unixListener() {
        return switch (this) {
            case EPOLL -> new EpollServerDomainSocketChannel();
            default -> new NioServerDomainSocketChannel();
        };
    }

    /** The address of a Unix socket as this transport wants it. */
    public SocketAddress unixAddress(Path path) {
        return this == NIO ? UnixDomainSocketAddress.of(path) : new DomainSocketAddress(path.toString());
    }
}
