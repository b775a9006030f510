package dev.msgrelay.lab.readers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A server for one connection, with a thread of its own. */
final class OneConnection implements AutoCloseable {
    private final ServerSocketChannel listening = ServerSocketChannel.open();
    private final Thread thread;

    OneConnection(LadderTest.Server server) throws IOException {
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        thread = new Thread(() -> serve(server), "server");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(LadderTest.Server server) {
        try (SocketChannel channel = listening.accept()) {
            server.serve(channel);
        } catch (IOException e) {
            // the client is gone: the test says why
        }
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listening.getLocalAddress();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
