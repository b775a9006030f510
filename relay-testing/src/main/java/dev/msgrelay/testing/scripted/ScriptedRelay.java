package dev.msgrelay.testing.scripted;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A relay that behaves, or misbehaves, as a test says. Either a test {@link #accept accepts} connections itself, or it
 * gives {@link #of scripts}: connection after connection does what the next script says, and is closed. After the last
 * script it refuses connections, unless the last one is {@link #repeating repeated}.
 *
 * <pre>{@code
 * try (ScriptedRelay relay = ScriptedRelay.of(client -> {
 *     client.hello();
 *     client.send("WELCOME next=1", "MESSAGE type=7 body=one", "GAP from=2 to=4 reason=1");
 * })) {
 *     // connect the client under test to relay.endpoint()
 *     relay.await();
 * }
 * }</pre>
 *
 * Thread-safe.
 */
public final class ScriptedRelay implements AutoCloseable {
    /** What happens on one connection; it is closed at the end. */
    @FunctionalInterface
    public interface Script {
        void serve(Peer client) throws Exception;
    }

    private static final int SMALL_SOCKET_BUFFER = 64 << 10;
    private static final int LIMIT_SECONDS = 120;

    private final ServerSocketChannel listener;
    private final Endpoint endpoint;
    private final Path socket;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final List<HelloFrame> hellos = new CopyOnWriteArrayList<>();
    private volatile Peer present;
    private volatile boolean closed;

    private ScriptedRelay(ServerSocketChannel listener, Endpoint endpoint, Path socket) {
        this.listener = listener;
        this.endpoint = endpoint;
        this.socket = socket;
    }

    /**
     * Listens on a free port of loopback; the test accepts. The connections' receive buffers are small, so that a
     * publisher soon has to wait.
     */
    public static ScriptedRelay tcp() throws IOException {
        return tcp(0);
    }

    /** As {@link #tcp()}, on this port. */
    public static ScriptedRelay tcp(int port) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.setOption(StandardSocketOptions.SO_RCVBUF, SMALL_SOCKET_BUFFER);
        listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        int bound = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        return new ScriptedRelay(listener, Endpoint.tcp("127.0.0.1", bound), null);
    }

    /** Listens on the Unix domain socket {@code s.sock} in this directory; the test accepts. */
    public static ScriptedRelay unix(Path directory) throws IOException {
        Path path = directory.resolve("s.sock");
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        return new ScriptedRelay(listener, Endpoint.unix(path), path);
    }

    /** Serves connections on a free port of loopback, one script each. */
    public static ScriptedRelay of(Script... scripts) throws IOException {
        return tcp().serve(false, scripts);
    }

    /** As {@link #of}; the last script is for all connections from there on. */
    public static ScriptedRelay repeating(Script... scripts) throws IOException {
        return tcp().serve(true, scripts);
    }

    /** As {@link #of}, on a Unix domain socket in this directory. */
    public static ScriptedRelay unix(Path directory, Script... scripts) throws IOException {
        return unix(directory).serve(false, scripts);
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    /** Every HELLO that {@link Peer#hello} has read so far. */
    public List<HelloFrame> hellos() {
        return List.copyOf(hellos);
    }

    /** The next connection; waits for it. */
    public Peer accept() throws IOException {
        SocketChannel channel = listener.accept();
        if (socket == null) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        present = Peer.plain(channel, hellos::add);
        return present;
    }

    /**
     * The next connection, over TLS.
     *
     * @param clientCertificate whether the client must show a certificate that the context trusts
     * @throws IOException the handshake failed; the connection is closed
     */
    public Peer accept(SSLContext context, boolean clientCertificate) throws IOException {
        SocketChannel channel = listener.accept();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(channel.socket(), null, 0, true);
            socket.setUseClientMode(false);
            socket.setNeedClientAuth(clientCertificate);
            socket.startHandshake();
            present = Peer.tls(channel, socket, hellos::add);
            return present;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Whether a connection waits to be accepted; it is closed. */
    boolean hasConnection() throws IOException {
        listener.configureBlocking(false);
        try (SocketChannel waiting = listener.accept()) {
            return waiting != null;
        } finally {
            listener.configureBlocking(true);
        }
    }

    /** Waits until all scripts are through; what one of them threw comes out. */
    public void await() throws Exception {
        done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Refuses connections from here on; the present one stays. */
    public void stop() throws IOException {
        listener.close();
        if (socket != null) {
            Files.deleteIfExists(socket);
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        stop();
        Peer last = present;
        if (last != null) {
            last.channel().close();
        }
    }

    private ScriptedRelay serve(boolean repeatLast, Script... scripts) {
        Thread thread = new Thread(() -> serveAll(List.of(scripts), repeatLast), "scripted relay");
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    /** Nobody is to wait for an answer that will not come: after the last script connections are refused. */
    private void serveAll(List<Script> scripts, boolean repeatLast) {
        Throwable problem = serveScripts(scripts, repeatLast);
        try {
            listener.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        if (problem == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(problem);
        }
    }

    /**
     * A client may leave before its script is through, which is no reason to refuse the next one: the exception comes
     * out at the end. Null: all went well, or the test was over.
     */
    private Throwable serveScripts(List<Script> scripts, boolean repeatLast) {
        IOException left = null;
        try {
            for (int i = 0; i < scripts.size() || repeatLast; i++) {
                Script script = scripts.get(Math.min(i, scripts.size() - 1));
                Peer client = accept();
                try (client) {
                    script.serve(client);
                } catch (IOException e) {
                    left = left == null ? e : left;
                }
            }
        } catch (Exception | AssertionError e) {
            return closed && e instanceof IOException ? null : e;
        }
        return closed ? null : left;
    }
}
