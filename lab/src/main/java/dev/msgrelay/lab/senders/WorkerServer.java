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
 * The article's server, on the loopback interface. A client sends the number of a file as an int, and receives the
 * bytes of that file and nothing else. Then it may send another number.
 *
 * <p>One thread with a selector accepts connections, reads requests, and waits for room in sockets. A pool of workers
 * sends. A connection belongs to the selector's thread or to a worker, never to both, and is passed on through queues.
 */
final class WorkerServer implements AutoCloseable {
    /** The article's 81 KB, which is the socket buffer of its machine. */
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

    /** Connections that a worker has returned, and that the selector's thread registers again. */
    private final Queue<Connection> returned = new ConcurrentLinkedQueue<>();

    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    /**
     * One of the article's algorithms, which differ by how long a worker serves a client. In EqualBlocking, parts have
     * a fixed size, and a worker blocks until it has sent one.
     *
     * @param blocking whether the socket is in blocking mode while a worker sends; then it is not in the selector
     * @param part the most bytes that a worker sends before it serves another client
     */
    record SendAlgorithm(boolean blocking, long part) {
        /** A worker serves one client until the whole file is sent. */
        static final SendAlgorithm SIMPLE_BLOCKING = new SendAlgorithm(true, Long.MAX_VALUE);

        /** A worker writes as much as the socket accepts. Another worker may send the rest. */
        static final SendAlgorithm EQUAL_NON_BLOCKING = new SendAlgorithm(false, Long.MAX_VALUE);
    }

    /** A client's connection, and the file that is being sent. */
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

        /** Returns what the selector waits for: room in the socket, or the next request. */
        int interest() {
            return position == size ? SelectionKey.OP_READ : SelectionKey.OP_WRITE;
        }

        /** Sends a part of the file, or less if the file ends or the socket is full. */
        void send(long part) throws IOException {
            long left = part;
            long sent = 1;
            while (left > 0 && sent > 0 && position < size) {
                sent = write(left);
                left -= sent;
            }
        }

        /**
         * Sends up to {@code count} bytes through a buffer. Bytes that the socket does not accept are read again next
         * time.
         */
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
                // Keys that were cancelled before this select are out of the selector now.
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
            // Clients notice that their connections end, and report it.
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

    private void close(Connection connection) {
        connections.remove(connection);
        try {
            connection.socket.close();
        } catch (IOException e) {
            // The connection is not used any more.
        }
    }

    @Override
    public void close() throws IOException {
        selection.interrupt();
        // The JDK may miss an interrupt of a thread that is about to select.
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
