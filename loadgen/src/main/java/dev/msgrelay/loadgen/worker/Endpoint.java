package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * Where something listens, as it is written on a command line: {@code host:port}, {@code [v6]:port} or {@code
 * unix:/path}. Immutable.
 */
public final class Endpoint {
    private static final String UNIX = "unix:";
    private static final int MAX_PORT = 65_535;

    private final String text;
    private final SocketAddress address;

    private Endpoint(String text, SocketAddress address) {
        this.text = text;
        this.address = address;
    }

    /**
     * @throws IllegalArgumentException naming what is wrong with {@code text}
     */
    public static Endpoint parse(String text) {
        if (text.startsWith(UNIX)) {
            return unix(Path.of(text.substring(UNIX.length())));
        }
        int colon = text.lastIndexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("'" + text + "' is not host:port or unix:/path");
        }
        int port = port(text, text.substring(colon + 1));
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        return new Endpoint(text, new InetSocketAddress(host, port));
    }

    public static Endpoint unix(Path path) {
        return new Endpoint(UNIX + path, UnixDomainSocketAddress.of(path));
    }

    /** A port of this host's loopback interface; 0 to listen on any. */
    public static Endpoint loopback(int port) {
        return parse("127.0.0.1:" + port);
    }

    private static int port(String text, String digits) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 0 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException e) {
            // told below, like a number out of range
        }
        throw new IllegalArgumentException("port '" + digits + "' of '" + text + "' is not within 0.." + MAX_PORT);
    }

    /** The same host (not a Unix socket) with another port. */
    public Endpoint withPort(int port) {
        int colon = text.lastIndexOf(':');
        return parse(text.substring(0, colon + 1) + port);
    }

    /** Whether what goes there stays within this host, over no link. */
    public boolean isWithinHost() {
        return isUnix()
                || address instanceof InetSocketAddress inet
                        && inet.getAddress() != null
                        && inet.getAddress().isLoopbackAddress();
    }

    public boolean isUnix() {
        return address instanceof UnixDomainSocketAddress;
    }

    /** The port, or -1 for a Unix socket. */
    public int port() {
        return address instanceof InetSocketAddress inet ? inet.getPort() : -1;
    }

    /** Connects, blocking, with TCP_NODELAY. */
    public SocketChannel connect() throws IOException {
        if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
            throw new IOException("unknown host '" + inet.getHostString() + "'");
        }
        try {
            return withoutDelay(SocketChannel.open(address));
        } catch (IOException e) {
            throw new IOException("cannot connect to " + text + ": " + e.getMessage(), e);
        }
    }

    /** Listens here. */
    public ServerSocketChannel listen() throws IOException {
        ServerSocketChannel server =
                isUnix() ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
        try {
            server.bind(address);
            return server;
        } catch (IOException e) {
            server.close();
            throw new IOException("cannot listen on " + text + ": " + e.getMessage(), e);
        }
    }

    /** Waits for the next connection; it is blocking, with TCP_NODELAY. */
    public static SocketChannel accept(ServerSocketChannel server) throws IOException {
        return withoutDelay(server.accept());
    }

    /** Where {@code server} really listens: the port that a port of 0 became. */
    public static Endpoint of(ServerSocketChannel server) throws IOException {
        return server.getLocalAddress() instanceof UnixDomainSocketAddress unix
                ? unix(unix.getPath())
                : of((InetSocketAddress) server.getLocalAddress());
    }

    /** A host and port that is known already. */
    public static Endpoint of(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return parse((host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort());
    }

    private static SocketChannel withoutDelay(SocketChannel channel) throws IOException {
        if (channel.getLocalAddress() instanceof InetSocketAddress) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        return channel;
    }

    @Override
    public String toString() {
        return text;
    }
}
