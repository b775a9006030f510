package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A connected pair of loopback sockets, for tests. */
public record Loopback(SocketChannel near, SocketChannel far) implements AutoCloseable {
    public static Loopback open() throws IOException {
        try (ServerSocketChannel server = Endpoint.loopback(0).listen()) {
            SocketChannel near = Endpoint.of(server).connect();
            return new Loopback(near, Endpoint.accept(server));
        }
    }

    @Override
    public void close() throws IOException {
        near.close();
        far.close();
    }
}
