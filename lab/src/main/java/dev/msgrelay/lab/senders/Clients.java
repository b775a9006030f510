package dev.msgrelay.lab.senders;

import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Many clients, all on the caller's thread. */
final class Clients implements AutoCloseable {
    private final Selector selector = Selector.open();
    private final List<Client> clients = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256 * 1024);

    /** Connects all clients, and then requests the first file for each. */
    Clients(int count, List<SentFile> files, int socketBuffer, int port) throws IOException {
        try {
            for (int i = 0; i < count; i++) {
                clients.add(new Client(i, files, socketBuffer, port, selector));
            }
            long now = System.nanoTime();
            for (Client client : clients) {
                client.ask(now);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Downloads until a time of {@link System#nanoTime}.
     *
     * @throws WrongResultException a file has wrong content
     */
    void runUntil(long end, SendFigures figures) throws IOException, InterruptedException, WrongResultException {
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            selector.select(2);
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

    /**
     * Completes the figures with the downloads that are still running. A client that waits for its first byte counts
     * with the time that it has waited so far.
     */
    void finishFigures(SendFigures figures) {
        long now = System.nanoTime();
        figures.finishAt(now);
        for (Client client : clients) {
            if (client.received == 0) {
                figures.began(now - client.askedAt);
            } else {
                figures.ended(client.file, client.firstByteAt, now);
            }
        }
    }

    boolean isStalledSince(long moment) {
        return clients.stream().anyMatch(client -> client.received > 0 && client.lastReadAt < moment);
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients) {
            client.close();
        }
        selector.close();
    }

    /** A client. It requests one file after the other, all equally often, and compares the bytes it receives. */
    static final class Client implements AutoCloseable {
        private final int number;
        private final SocketChannel socket;
        private final List<SentFile> order;
        private final ByteBuffer request = ByteBuffer.allocate(Integer.BYTES);
        private int next;
        private SentFile file;

        long received;

        private long askedAt;
        private long firstByteAt;
        private long lastReadAt;

        Client(int number, List<SentFile> files, int socketBuffer, int port, Selector selector) throws IOException {
            this.number = number;
            order = new ArrayList<>(files);
            Collections.shuffle(order, new Random(number));
            socket = SocketChannel.open();
            try {
                if (socketBuffer > 0) {
                    socket.setOption(StandardSocketOptions.SO_RCVBUF, socketBuffer);
                }
                socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                socket.configureBlocking(false);
                socket.register(selector, SelectionKey.OP_READ, this);
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        }

        void ask(long now) throws IOException {
            file = order.get(next);
            next = (next + 1) % order.size();
            received = 0;
            askedAt = now;
            request.clear().putInt(0, file.number());
            if (socket.write(request) != Integer.BYTES) {
                throw new IOException("client " + number + ": the socket did not take a request");
            }
        }

        void read(ByteBuffer buffer, long now, SendFigures figures) throws IOException, WrongResultException {
            int length = socket.read(buffer.clear());
            if (length < 0) {
                throw new WrongResultException(what() + " the connection ended after " + received + " bytes");
            }
            if (length == 0) {
                return;
            }
            if (received == 0) {
                firstByteAt = now;
                figures.began(now - askedAt);
            }
            lastReadAt = now;
            received += length;
            if (received > file.size()) {
                throw new WrongResultException(what() + " " + (received - file.size()) + " bytes too many");
            }
            long wrong = file.mismatch(buffer.flip(), received - length);
            if (wrong >= 0) {
                throw new WrongResultException(what() + " byte " + wrong + " is not the file's");
            }
            figures.received(file, length);
            if (received == file.size()) {
                figures.ended(file, firstByteAt, now);
                ask(now);
            }
        }

        private String what() {
            return "client " + number + ", file " + file.number() + " of " + file.size() + " bytes:";
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Sums up what clients receive from {@code from} on. One thread uses an object. */
    static final class SendFigures {
        private final int largest;
        private final long from;
        private long bytes;
        private long waits;
        private double waited;
        private long bytesOfLargest;
        private double nanosOfLargest;
        private long nanos;

        SendFigures(int largest, long from) {
            this.largest = largest;
            this.from = from;
        }

        void began(long waitedNanos) {
            waits++;
            waited += waitedNanos;
        }

        void received(SentFile file, int length) {
            bytes += length;
            if (file.number() == largest) {
                bytesOfLargest += length;
            }
        }

        void ended(SentFile file, long beganAt, long now) {
            if (file.number() == largest) {
                nanosOfLargest += now - Math.max(beganAt, from);
            }
        }

        void finishAt(long now) {
            nanos = now - from;
        }

        long bytes() {
            return bytes;
        }

        /** Returns the mean time from a request to the first byte, in seconds. */
        double initialSeconds() {
            return waits == 0 ? Double.NaN : waited / waits / 1e9;
        }

        /** Returns the MB/s of a client that receives the largest file; NaN if no client received any of it. */
        double speed() {
            return bytesOfLargest == 0 ? Double.NaN : bytesOfLargest * 1e3 / nanosOfLargest;
        }

        double throughput() {
            return bytes * 1e3 / nanos;
        }
    }
}
