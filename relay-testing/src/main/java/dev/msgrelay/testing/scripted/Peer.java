package dev.msgrelay.testing.scripted;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.HelloFrame;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import javax.net.ssl.SSLSocket;

/** The client at the other end of a scripted relay's connection. Owned by one thread; {@link #close} by any. */
public final class Peer implements AutoCloseable {
    /** One frame from a client. */
    public record Frame(int type, ByteBuffer body) {
        /** Name and fields, as {@link FrameText} has them. */
        @Override
        public String toString() {
            return FrameText.name(type) + " " + FrameText.decode(type, body);
        }
    }

    private final SocketChannel channel;
    private final InputStream in;
    private final OutputStream out;
    private final SSLSocket tls;
    private final Consumer<HelloFrame> onHello;

    private Peer(SocketChannel channel, InputStream in, OutputStream out, SSLSocket tls, Consumer<HelloFrame> onHello) {
        this.channel = channel;
        this.in = in;
        this.out = out;
        this.tls = tls;
        this.onHello = onHello;
    }

    static Peer plain(SocketChannel channel, Consumer<HelloFrame> onHello) {
        return new Peer(channel, new ChannelInput(channel), new ChannelOutput(channel), null, onHello);
    }

    static Peer tls(SocketChannel channel, SSLSocket socket, Consumer<HelloFrame> onHello) throws IOException {
        return new Peer(channel, socket.getInputStream(), socket.getOutputStream(), socket, onHello);
    }

    /** The first frame, which must be a good HELLO. */
    public HelloFrame hello() throws IOException {
        HelloFrame hello = HelloFrame.decode(expect(ControlFrames.HELLO));
        onHello.accept(hello);
        return hello;
    }

    /** Sends all of them at once. */
    public void send(ByteBuffer... frames) throws IOException {
        for (ByteBuffer frame : frames) {
            byte[] bytes = new byte[frame.remaining()];
            frame.get(bytes);
            out.write(bytes);
        }
        out.flush();
    }

    /** Sends frames that {@link FrameText} describes, in one write. */
    public void send(String... lines) throws IOException {
        for (String line : lines) {
            send(FrameText.encode(line));
        }
    }

    /** The next whole frame; null at an end between two frames. Waits for ever: {@link #close} ends it. */
    public Frame next() throws IOException {
        byte[] header = in.readNBytes(FrameLayout.HEADER_LENGTH);
        if (header.length == 0) {
            return null;
        }
        if (header.length < FrameLayout.HEADER_LENGTH) {
            throw new EOFException("ended within a frame");
        }
        ByteBuffer fields = ByteBuffer.wrap(header);
        int type = FrameLayout.type(fields, 0);
        int length = FrameLayout.bodyLength(fields, 0);
        FrameLayout.checkBodyLength(type, length, FrameLayout.MAX_MAX_BODY);
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("ended within a frame");
        }
        return new Frame(type, ByteBuffer.wrap(body));
    }

    /** The next frame, which must be of this type. */
    public ByteBuffer expect(int type) throws IOException {
        Frame frame = next();
        if (frame == null || frame.type() != type) {
            throw new AssertionError("expected " + ControlFrames.name(type) + ", got "
                    + (frame == null ? "the end" : ControlFrames.name(frame.type())));
        }
        return frame.body();
    }

    /** Reads until the client has ended its side. */
    public void drain() throws IOException {
        byte[] buffer = new byte[64 << 10];
        int n;
        do {
            n = in.read(buffer);
        } while (n >= 0);
    }

    /** The socket; with TLS its bytes are TLS's. */
    public SocketChannel channel() {
        return channel;
    }

    /** Ends the connection with a reset, where the transport has one. */
    public void reset() throws IOException {
        if (channel.supportedOptions().contains(StandardSocketOptions.SO_LINGER)) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        channel.close();
    }

    /** Ends the connection in order; with TLS, with its close_notify. */
    @Override
    public void close() throws IOException {
        try {
            if (tls != null) {
                tls.close();
            }
        } finally {
            channel.close();
        }
    }

    private static final class ChannelInput extends InputStream {
        private final SocketChannel channel;

        ChannelInput(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return channel.read(ByteBuffer.wrap(bytes, offset, length));
        }
    }

    // The JDK's own streams over a channel let nobody write while somebody reads.
    private static final class ChannelOutput extends OutputStream {
        private final SocketChannel channel;

        ChannelOutput(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            ByteBuffer from = ByteBuffer.wrap(bytes, offset, length);
            while (from.hasRemaining()) {
                channel.write(from);
            }
        }
    }
}
