package dev.msgrelay.lab.senders;

import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/** Many clients on one thread, the caller's. */
final class ClientGroup implements AutoCloseable {
    private static final int READ_BUFFER = 256 * 1024;
    private static final long TICK_MILLIS = 2;

    private final Selector selector = Selector.open();
    private final List<Client> clients = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BUFFER);

    /** Connects them; they ask for nothing yet. */
    ClientGroup(int count, List<SentFile> files, int socketBuffer, int port) throws IOException {
        try {
            for (int i = 0; i < count; i++) {
                clients.add(new Client(i, files, socketBuffer, port, selector));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    List<Client> clients() {
        return clients;
    }

    /** All ask for their first file, at the same time. */
    void start() throws IOException {
        long now = System.nanoTime();
        for (Client client : clients) {
            client.ask(now);
        }
    }

    /** Downloads until that {@link System#nanoTime}; throws where a file is not what it must be. */
    void runUntil(long end, SendFigures figures) throws IOException, InterruptedException, WrongResultException {
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            selector.select(TICK_MILLIS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long arrived = System.nanoTime();
            for (SelectionKey key : selector.selectedKeys()) {
                ((Client) key.attachment()).read(buffer, arrived, figures);
            }
            selector.selectedKeys().clear();
        }
    }

    /** Whether one of them is within a file and has got nothing since. */
    boolean isStalledSince(long moment) {
        return clients.stream().anyMatch(client -> client.isStalledSince(moment));
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients) {
            client.close();
        }
        selector.close();
    }
}
