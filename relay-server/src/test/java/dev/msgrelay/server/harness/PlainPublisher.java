package dev.msgrelay.server.harness;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.RetryAfterFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;

/** The article's publisher: connects and writes frames. It knows nothing else; JDK sockets only, blocking. */
public final class PlainPublisher implements AutoCloseable {
    /**
     * What a relay says before it closes a publisher's connection.
     *
     * @param waitMillis that of RETRY_AFTER; -1: there was none
     */
    public record Error(int type, int code, String text, int waitMillis) {}

    private final SocketChannel channel;

    private PlainPublisher(SocketChannel channel) {
        this.channel = channel;
    }

    public static PlainPublisher connect(SocketAddress address) throws IOException {
        return new PlainPublisher(open(address, 0));
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

    public PlainPublisher send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        return this;
    }

    public PlainPublisher send(Frames frames) throws IOException {
        return send(frames.buffer());
    }

    /** Says that no more will come; the connection stays open in the other direction. */
    public PlainPublisher halfClose() throws IOException {
        channel.shutdownOutput();
        return this;
    }

    public void reset() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    /** Waits for the relay's ERROR frame, with RETRY_AFTER before it or without, and the end of the connection. */
    public Error awaitError() throws IOException {
        List<Control> said = Control.all(readToEnd());
        boolean waits = said.size() == 2 && said.get(0).type() == ControlFrames.RETRY_AFTER;
        if (!waits && said.size() != 1) {
            throw new IOException("not one ERROR frame before the end, but " + said);
        }
        Control error = said.get(said.size() - 1);
        int waitMillis = waits ? RetryAfterFrame.millis(said.get(0).body()) : -1;
        return new Error(error.type(), error.code(), error.text(), waitMillis);
    }

    /** Reads up to so many bytes of what comes, and throws them away. */
    public void readSome(int most) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(most);
        int n = 0;
        while (n >= 0 && bytes.hasRemaining()) {
            n = channel.read(bytes);
        }
    }

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
        if (readToEnd().hasRemaining()) {
            throw new IOException("the relay sent something");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
