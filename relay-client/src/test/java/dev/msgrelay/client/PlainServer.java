package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Stands in for a relay: accepts one connection after the other and does with it what the test says. */
public final class PlainServer implements AutoCloseable {
    private static final int SMALL_SOCKET_BUFFER = 64 << 10;

    private final ServerSocketChannel listener;
    private final Endpoint endpoint;

    private PlainServer(ServerSocketChannel listener, Endpoint endpoint) {
        this.listener = listener;
        this.endpoint = endpoint;
    }

    /** On a free port of loopback; what it accepts has a small receive buffer, so that it soon pushes back. */
    public static PlainServer tcp() throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.setOption(StandardSocketOptions.SO_RCVBUF, SMALL_SOCKET_BUFFER);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        return new PlainServer(listener, Endpoint.tcp("127.0.0.1", port));
    }

    public static PlainServer unix(Path directory) throws IOException {
        Path path = directory.resolve("s.sock");
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        return new PlainServer(listener, Endpoint.unix(path));
    }

    /** One of the two, by name, for parameterised tests. */
    static PlainServer of(String transport, Path directory) throws IOException {
        return transport.equals("unix") ? unix(directory) : tcp();
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public SocketChannel accept() throws IOException {
        return listener.accept();
    }

    /** Hands every message of the connection over, until the peer ends it. */
    public static void readAll(SocketChannel channel, FrameConsumer consumer) throws IOException {
        FrameReader reader = new FrameReader();
        int n;
        do {
            n = reader.read(channel, consumer);
        } while (n >= 0);
    }

    /** As a relay does: reads all, and ends its side when the peer has. */
    public static void serve(SocketChannel channel, FrameConsumer consumer) throws IOException {
        try (channel) {
            readAll(channel, consumer);
        }
    }

    public static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    public static ByteBuffer frame(int type, byte... body) {
        ByteBuffer frame = ByteBuffer.allocate(FrameLayout.frameLength(body.length));
        frame.putInt(type).putInt(body.length).put(body).flip();
        return frame;
    }

    public static byte[] copy(ByteBuffer body) {
        byte[] copy = new byte[body.remaining()];
        body.duplicate().get(copy);
        return copy;
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
