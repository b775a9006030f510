package dev.msgrelay.server.harness;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Predicate;

/**
 * A publisher that says HELLO and reads what the relay answers. Blocking; one thread sends and another one may read.
 */
public final class TalkingPublisher implements AutoCloseable {
    private final SocketChannel channel;

    private TalkingPublisher(SocketChannel channel) {
        this.channel = channel;
    }

    public static TalkingPublisher connect(SocketAddress address) throws IOException {
        return new TalkingPublisher(PlainPublisher.open(address, 0));
    }

    /** Connects from an address of this host, with any port of it. */
    public static TalkingPublisher connectFrom(String local, SocketAddress address) throws IOException {
        return new TalkingPublisher(PlainPublisher.open(new InetSocketAddress(local, 0), address, 0));
    }

    public static TalkingPublisher connect(TestRelay relay, Hello hello) throws IOException {
        return connect(relay.publish()).send(hello.bytes());
    }

    /** What the relay knows as this client's address: {@code 127.0.0.1:40001}, or {@code unix}. */
    public String localAddress() throws IOException {
        return channel.getLocalAddress() instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
                : "unix";
    }

    public TalkingPublisher send(byte[] bytes) throws IOException {
        return send(ByteBuffer.wrap(bytes));
    }

    public TalkingPublisher send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        return this;
    }

    public TalkingPublisher send(Frames frames) throws IOException {
        return send(frames.buffer());
    }

    public TalkingPublisher halfClose() throws IOException {
        channel.shutdownOutput();
        return this;
    }

    /** The next frame, or null at the end of the connection. */
    public Control next() throws IOException {
        ByteBuffer header = fill(ByteBuffer.allocate(8));
        if (header == null) {
            return null;
        }
        ByteBuffer body = fill(ByteBuffer.allocate(header.getInt(4)));
        return new Control(header.getInt(0), body);
    }

    /** The next frame of a type; passes over others but for ERROR, which fails. */
    public Control await(int type) throws IOException {
        return await(type, frame -> true);
    }

    public Control await(int type, Predicate<Control> wanted) throws IOException {
        while (true) {
            Control frame = next();
            if (frame == null) {
                throw new IOException("the connection ended before a frame of type " + Integer.toHexString(type));
            }
            if (frame.type() == type && wanted.test(frame)) {
                return frame;
            }
            if (frame.type() == Hello.ERROR) {
                throw new IOException("ERROR " + frame.code() + " " + frame.text());
            }
        }
    }

    public Control awaitAck(long number) throws IOException {
        return await(Hello.ACK, ack -> ack.first() >= number);
    }

    public Control awaitError() throws IOException {
        Control error = await(Hello.ERROR);
        if (next() != null) {
            throw new IOException("something behind ERROR");
        }
        return error;
    }

    public void reset() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private ByteBuffer fill(ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (channel.read(target) < 0) {
                if (target.position() == 0 && target.capacity() == 8) {
                    return null;
                }
                throw new IOException("the connection ended within a frame");
            }
        }
        return target.flip();
    }
}
