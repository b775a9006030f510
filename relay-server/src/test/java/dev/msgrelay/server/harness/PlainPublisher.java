package dev.msgrelay.server.harness;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** The article's publisher: connects and writes frames. It knows nothing else; JDK sockets only, blocking. */
public final class PlainPublisher implements AutoCloseable {
    /** What a relay says before it closes a publisher's connection. */
    public record Error(int type, int code, String text) {}

    private final SocketChannel channel;

    private PlainPublisher(SocketChannel channel) {
        this.channel = channel;
    }

    public static PlainPublisher connect(SocketAddress address) throws IOException {
        return new PlainPublisher(open(address, 0));
    }

    /** Connects from an address of this host, with any port of it. */
    public static PlainPublisher connectFrom(String localAddress, SocketAddress address) throws IOException {
        return new PlainPublisher(open(new InetSocketAddress(localAddress, 0), address, 0));
    }

    /** A connection, blocking; 0: a receive buffer of the system's choice. */
    public static SocketChannel open(SocketAddress address, int receiveBuffer) throws IOException {
        return open(null, address, receiveBuffer);
    }

    /** Likewise, from an address of this host; null: any. */
    public static SocketChannel open(InetSocketAddress local, SocketAddress address, int receiveBuffer)
            throws IOException {
        SocketChannel channel = address instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX)
                : SocketChannel.open();
        if (receiveBuffer > 0 && address instanceof InetSocketAddress) {
            // Before it connects: the window is agreed upon then.
            channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
        }
        if (address instanceof InetSocketAddress) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        try {
            if (local != null) {
                channel.bind(local);
            }
            channel.connect(address);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Writes all of it. */
    public PlainPublisher send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        return this;
    }

    public PlainPublisher send(Frames frames) throws IOException {
        return send(frames.buffer());
    }

    /** Writes byte by byte, each with a call of its own. */
    public PlainPublisher trickle(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        for (int i = 0; i < bytes.length; i++) {
            buffer.limit(i + 1);
            send(buffer);
        }
        return this;
    }

    /** Says that no more will come; the connection stays open in the other direction. */
    public PlainPublisher halfClose() throws IOException {
        channel.shutdownOutput();
        return this;
    }

    /** Ends the connection with a reset instead of an orderly end. */
    public void reset() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    /** Waits for the relay's ERROR frame and the end of the connection behind it. */
    public Error awaitError() throws IOException {
        ByteBuffer all = ByteBuffer.allocate(4096);
        int n = 0;
        while (n >= 0) {
            n = channel.read(all);
        }
        all.flip();
        if (all.remaining() < 10) {
            throw new IOException("only " + all.remaining() + " bytes before the end: no ERROR frame");
        }
        int type = all.getInt();
        int length = all.getInt();
        int code = all.getShort();
        if (all.remaining() != length - 2) {
            throw new IOException("an ERROR frame of " + length + " bytes, and " + all.remaining() + " came");
        }
        return new Error(type, code, StandardCharsets.UTF_8.decode(all).toString());
    }

    /** Reads up to so many bytes of what comes, and throws them away. */
    public void readSome(int most) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(most);
        int n = 0;
        while (n >= 0 && bytes.hasRemaining()) {
            n = channel.read(bytes);
        }
    }

    /** Everything that comes up to the end of the connection. */
    public ByteBuffer readToEnd() throws IOException {
        ByteBuffer all = ByteBuffer.allocate(64 << 10);
        while (channel.read(all) >= 0) {
            if (!all.hasRemaining()) {
                all = ByteBuffer.allocate(2 * all.capacity()).put(all.flip());
            }
        }
        return all.flip();
    }

    /** Waits for the end of the connection; whatever comes before it is an error. */
    public void awaitEnd() throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        if (channel.read(one) >= 0) {
            throw new IOException("the relay sent something");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
