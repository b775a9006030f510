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

    private final Selector selector;
    private final List<Client> clients = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BUFFER);

    private ClientGroup(Selector selector) {
        this.selector = selector;
    }

    /** Connects them; they ask for nothing yet. */
    static ClientGroup connect(int count, FileSet files, int socketBuffer, int port) throws IOException {
        ClientGroup group = new ClientGroup(Selector.open());
        try {
            for (int i = 0; i < count; i++) {
                group.clients.add(Client.connect(i, files, socketBuffer, port, group.selector));
            }
            return group;
        } catch (IOException e) {
            group.close();
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

    /**
     * Downloads for a while.
     *
     * @param end as {@link System#nanoTime}
     * @throws WrongResultException a file is not what it must be
     */
    void runUntil(long end, Client.Listener listener) throws IOException, InterruptedException, WrongResultException {
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            selector.select(TICK_MILLIS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long arrived = System.nanoTime();
            for (SelectionKey key : selector.selectedKeys()) {
                ((Client) key.attachment()).read(buffer, arrived, listener);
            }
            selector.selectedKeys().clear();
        }
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients) {
            client.close();
        }
        selector.close();
    }
}
