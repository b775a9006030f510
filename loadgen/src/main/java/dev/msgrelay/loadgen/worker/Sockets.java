package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The sockets of workers and experiments: blocking, over TCP with TCP_NODELAY. */
public final class Sockets {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(60);

    private Sockets() {}

    public static SocketChannel connect(Endpoint endpoint) throws IOException {
        return endpoint.open(CONNECT_TIMEOUT);
    }

    /** Listens on a free port of loopback. */
    public static ServerSocketChannel listen() throws IOException {
        return listen("127.0.0.1", 0);
    }

    /**
     * Listens on this address, an IPv6 one with or without brackets.
     *
     * @param port 0: a free one
     */
    public static ServerSocketChannel listen(String address, int port) throws IOException {
        boolean brackets = address.startsWith("[") && address.endsWith("]");
        String host = brackets ? address.substring(1, address.length() - 1) : address;
        return bound(ServerSocketChannel.open(), new InetSocketAddress(host, port));
    }

    public static Endpoint endpoint(ServerSocketChannel server) throws IOException {
        return Endpoint.of(server.getLocalAddress());
    }

    /**
     * Listens at a Unix socket, or at a free port of the address where no socket is given.
     *
     * @param socket its path; null: TCP
     */
    static ServerSocketChannel listen(String address, String socket) throws IOException {
        return socket == null
                ? listen(address, 0)
                : bound(ServerSocketChannel.open(StandardProtocolFamily.UNIX), UnixDomainSocketAddress.of(socket));
    }

    /** Waits for so many connections. The controller bounds this wait: its end ends the process. */
    public static List<SocketChannel> accept(ServerSocketChannel server, int count) throws IOException {
        List<SocketChannel> accepted = new ArrayList<>();
        while (accepted.size() < count) {
            accepted.add(accept(server));
        }
        return accepted;
    }

    /** Waits for the next connection. */
    public static SocketChannel accept(ServerSocketChannel server) throws IOException {
        SocketChannel channel = server.accept();
        if (channel.getLocalAddress() instanceof InetSocketAddress) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        return channel;
    }

    private static ServerSocketChannel bound(ServerSocketChannel server, SocketAddress address) throws IOException {
        try {
            return server.bind(address);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }
}
