package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Opens the sockets of workers: blocking, and over TCP with TCP_NODELAY. */
public final class Sockets {
    /** Limit of a connect, and of an answer to HELLO: a relay on a busy machine may stand still for some seconds. */
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(60);

    private Sockets() {}

    public static SocketChannel connect(Endpoint endpoint) throws IOException {
        return endpoint.open(CONNECT_TIMEOUT);
    }

    /** Connects. If the endpoint is on this host, first sets the congestion control, see {@link SocketCongestion}. */
    static SocketChannel connect(Endpoint endpoint, String congestion) throws IOException {
        InetAddress address = endpoint.isUnix() ? null : InetAddress.getByName(endpoint.host());
        if (address == null || !address.isLoopbackAddress() && NetworkInterface.getByInetAddress(address) == null) {
            return connect(endpoint);
        }
        SocketChannel channel = SocketChannel.open();
        SocketCongestion.prepare(channel, congestion);
        try {
            channel.connect(new InetSocketAddress(address, endpoint.port()));
            return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        } catch (IOException e) {
            channel.close();
            // This also tries further addresses of a host name. Its exception names endpoint and cause.
            return connect(endpoint);
        }
    }

    public static Endpoint endpoint(ServerSocketChannel server) throws IOException {
        return Endpoint.of(server.getLocalAddress());
    }

    /**
     * Listens at the Unix socket with path {@code socket}, of which an earlier job may have left the file; if that is
     * null, at a free TCP port of {@code address}.
     */
    public static ServerSocketChannel listen(String address, String socket) throws IOException {
        if (socket == null) {
            return bound(ServerSocketChannel.open(), new InetSocketAddress(address, 0));
        }
        Files.deleteIfExists(Path.of(socket));
        return bound(ServerSocketChannel.open(StandardProtocolFamily.UNIX), UnixDomainSocketAddress.of(socket));
    }

    /** Waits for the next connection. There is no time limit, since this process ends if the controller ends. */
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
