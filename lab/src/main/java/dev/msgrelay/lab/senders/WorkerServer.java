package dev.msgrelay.lab.senders;

import dev.msgrelay.lab.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The article's server, on the loopback interface. A client connects and asks for a file by its number, an int; it gets
 * the bytes of the file and nothing else, and may ask again.
 *
 * <p>One thread with a selector accepts, reads requests and waits for room in sockets; a pool of workers
 * sends. A connection belongs to the selector's thread or to a worker, never to both, and changes hands through queues.
 */
final class WorkerServer implements AutoCloseable {
    /** The article's: 81 KB, the socket buffer of its machine. */
    static final int BUFFER_SIZE = 81 * 1024;

    private static final ThreadLocal<ByteBuffer> BUFFERS =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BUFFER_SIZE));

    private final SendAlgorithm algorithm;
    private final int socketBuffer;
    private final List<SentFile> files;
    private final List<FileChannel> channels = new ArrayList<>();
    private final ExecutorService pool;
    private final Selector selector = Selector.open();
    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final Thread selection = Threads.daemon("file-server", this::select);

    /** Connections that a worker has done with, to be registered again by the selector's thread. */
    private final Queue<Connection> returned = new ConcurrentLinkedQueue<>();

    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    /**
     * One of the article's algorithms: how long a worker stays with a client. EqualBlocking is the one with parts of
     * fixed size, where a worker blocks until the socket has one.
     *
     * @param blocking whether the socket is in blocking mode while a worker has it; it is out of the selector then
     * @param part bytes that a worker sends at most before it is free for another client, and the selector waits for
     *     room
     */
    record SendAlgorithm(boolean blocking, long part) {
        /** While not at the end, write: a worker has one client until it has the whole file. */
        static final SendAlgorithm SIMPLE_BLOCKING = new SendAlgorithm(true, Long.MAX_VALUE);

        /** A worker writes what the socket takes, and no more. The rest is another part, perhaps another worker's. */
        static final SendAlgorithm EQUAL_NON_BLOCKING = new SendAlgorithm(false, Long.MAX_VALUE);
    }

    /** One client, and the file that is on its way to it. */
    private static final class Connection {
        private final SocketChannel socket;
        private final ByteBuffer request = ByteBuffer.allocate(Integer.BYTES);
        private SelectionKey key;
        private FileChannel file;
        private long position;
        private long size;

        Connection(SocketChannel socket) {
            this.socket = socket;
        }

        /** The event that the client waits for: room in the socket, or the next request. */
        int interest() {
            return position == size ? SelectionKey.OP_READ : SelectionKey.OP_WRITE;
        }

        /** Sends a part: less where the file ends, or the socket takes no more. */
        void send(long part) throws IOException {
            long left = part;
            long sent = 1;
            while (left > 0 && sent > 0 && position < size) {
                sent = write(left);
                left -= sent;
            }
        }

        /** Sends up to so many bytes through a buffer. Those that the socket does not take are read again next time. */
        private long write(long count) throws IOException {
            ByteBuffer buffer = BUFFERS.get();
            buffer.clear().limit((int) Math.min(Math.min(count, size - position), BUFFER_SIZE));
            file.read(buffer, position);
            long sent = socket.write(buffer.flip());
            position += sent;
            return sent;
        }
    }

    WorkerServer(List<SentFile> files, SendAlgorithm algorithm, int workers, int socketBuffer) throws IOException {
        this.files = files;
        this.algorithm = algorithm;
        this.socketBuffer = socketBuffer;
        pool = Executors.newFixedThreadPool(workers, work -> Threads.daemon("file-server", work));
        try {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            for (SentFile file : files) {
                channels.add(FileChannel.open(file.path(), StandardOpenOption.READ));
            }
        } catch (IOException e) {
            release();
            throw e;
        }
        selection.start();
    }

    int port() {
        return listener.socket().getLocalPort();
    }

    private void select() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                selector.select();
                // After a select: what was cancelled before is out of the selector by now.
                registerReturned();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.isValid() && key.isAcceptable()) {
                        accept();
                    } else if (key.isValid()) {
                        ready(key);
                    }
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException | RejectedExecutionException e) {
            // Clients see their connections end, and say so.
            connections.forEach(this::close);
        }
    }

    private void accept() throws IOException {
        for (SocketChannel socket = listener.accept(); socket != null; socket = listener.accept()) {
            socket.setOption(StandardSocketOptions.SO_SNDBUF, socketBuffer);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            socket.configureBlocking(false);
            Connection connection = new Connection(socket);
            connections.add(connection);
            connection.key = socket.register(selector, SelectionKey.OP_READ, connection);
        }
    }

    private void ready(SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        try {
            if (key.isReadable() && !readRequest(connection)) {
                return;
            }
            if (algorithm.blocking()) {
                key.cancel();
            } else {
                key.interestOps(0);
            }
            pool.execute(() -> sendPart(connection));
        } catch (IOException | CancelledKeyException e) {
            close(connection);
        }
    }

    private boolean readRequest(Connection connection) throws IOException {
        if (connection.socket.read(connection.request) < 0) {
            close(connection);
            return false;
        }
        if (connection.request.hasRemaining()) {
            return false;
        }
        int number = connection.request.getInt(0);
        connection.request.clear();
        if (number < 0 || number >= files.size()) {
            throw new IOException("no file " + number);
        }
        connection.file = channels.get(number);
        connection.size = files.get(number).size();
        connection.position = 0;
        return true;
    }

    private void sendPart(Connection connection) {
        try {
            if (!algorithm.blocking()) {
                connection.send(algorithm.part());
                connection.key.interestOps(connection.interest());
            } else {
                connection.socket.configureBlocking(true);
                connection.send(algorithm.part());
                connection.socket.configureBlocking(false);
                returned.add(connection);
            }
            selector.wakeup();
        } catch (IOException | CancelledKeyException e) {
            close(connection);
        }
    }

    private void registerReturned() {
        for (Connection connection = returned.poll(); connection != null; connection = returned.poll()) {
            try {
                connection.key = connection.socket.register(selector, connection.interest(), connection);
            } catch (IOException e) {
                close(connection);
            }
        }
    }

    /** The client is gone, or sees by this that something went wrong. */
    private void close(Connection connection) {
        connections.remove(connection);
        try {
            connection.socket.close();
        } catch (IOException e) {
            // it is of no use any more
        }
    }

    @Override
    public void close() throws IOException {
        selection.interrupt();
        // The JDK may miss an interrupt of a thread that is just about to select.
        selector.wakeup();
        pool.shutdownNow();
        try {
            Threads.join(selection);
            if (!pool.awaitTermination(Threads.LIMIT_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException("workers did not end within " + Threads.LIMIT_MILLIS + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            release();
        }
    }

    private void release() throws IOException {
        connections.forEach(this::close);
        listener.close();
        selector.close();
        for (FileChannel channel : channels) {
            channel.close();
        }
    }
}
