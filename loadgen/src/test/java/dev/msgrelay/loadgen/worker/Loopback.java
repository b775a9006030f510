package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A connected pair of loopback sockets, for tests. */
public record Loopback(SocketChannel near, SocketChannel far) implements AutoCloseable {
    public static Loopback open() throws IOException {
        try (ServerSocketChannel server = Sockets.listen("127.0.0.1", null)) {
            SocketChannel near = Sockets.connect(Sockets.endpoint(server));
            return new Loopback(near, Sockets.accept(server));
        }
    }

    @Override
    public void close() throws IOException {
        near.close();
        far.close();
    }
}
