package dev.msgrelay.client;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A relay that misbehaves as told: connection after connection it does what the next script says, and closes. Behind the
 * last script it refuses connections, unless the last one is to be repeated.
 */
public final class ScriptedRelay implements AutoCloseable {
    /** What happens on one connection; it is closed at the end. */
    @FunctionalInterface
    public interface Script {
        void serve(Peer client) throws Exception;
    }

    /** One frame from a client. */
    public record Frame(int type, ByteBuffer body) {}

    private final PlainServer server;
    private final List<Script> scripts;
    private final boolean repeatLast;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final List<HelloFrame> hellos = new ArrayList<>();
    private volatile Peer present;
    private volatile boolean closed;

    private ScriptedRelay(PlainServer server, List<Script> scripts, boolean repeatLast) {
        this.server = server;
        this.scripts = scripts;
        this.repeatLast = repeatLast;
        Thread thread = new Thread(this::serveAll, "scripted relay");
        thread.setDaemon(true);
        thread.start();
    }

    public static ScriptedRelay of(Script... scripts) throws IOException {
        return new ScriptedRelay(PlainServer.tcp(), List.of(scripts), false);
    }

    /** On a Unix domain socket. */
    public static ScriptedRelay unix(Path directory, Script... scripts) throws IOException {
        return new ScriptedRelay(PlainServer.unix(directory), List.of(scripts), false);
    }

    /** The last of them is for all connections from there on. */
    public static ScriptedRelay repeating(Script... scripts) throws IOException {
        return new ScriptedRelay(PlainServer.tcp(), List.of(scripts), true);
    }

    public Endpoint endpoint() {
        return server.endpoint();
    }

    /** Every HELLO so far. */
    public List<HelloFrame> hellos() {
        synchronized (hellos) {
            return List.copyOf(hellos);
        }
    }

    /** Waits until all scripts are through; what one of them threw comes out. */
    public void await() throws Exception {
        done.get(120, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        server.close();
        Peer last = present;
        if (last != null) {
            last.close();
        }
    }

    /** Nobody is to wait for an answer that will not come: who has awaited it is refused. */
    private void serveAll() {
        Throwable problem = serveScripts();
        try {
            server.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        if (problem == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(problem);
        }
    }

    /** Null: all went well, or the test was over. */
    private Throwable serveScripts() {
        try {
            for (int i = 0; i < scripts.size() || repeatLast; i++) {
                Script script = scripts.get(Math.min(i, scripts.size() - 1));
                try (Peer client = new Peer(server.accept())) {
                    present = client;
                    script.serve(client);
                }
            }
            return null;
        } catch (Exception | AssertionError e) {
            return closed && e instanceof IOException ? null : e;
        }
    }

    /** The client at the other end of a connection. */
    public final class Peer implements AutoCloseable {
        private final SocketChannel channel;

        private Peer(SocketChannel channel) {
            this.channel = channel;
        }

        /** The first frame, which must be a good HELLO. */
        public HelloFrame hello() throws IOException {
            Frame frame = next();
            if (frame == null || frame.type() != ControlFrames.HELLO) {
                throw new AssertionError("no HELLO but " + frame);
            }
            HelloFrame hello = HelloFrame.decode(frame.body());
            synchronized (hellos) {
                hellos.add(hello);
            }
            return hello;
        }

        public void send(ByteBuffer... frames) throws IOException {
            for (ByteBuffer frame : frames) {
                PlainServer.write(channel, frame);
            }
        }

        /** The next whole frame; null at an end between two frames. */
        public Frame next() throws IOException {
            ByteBuffer header = ByteBuffer.allocate(FrameLayout.HEADER_LENGTH);
            if (!fill(header)) {
                return null;
            }
            int type = FrameLayout.type(header, 0);
            int length = FrameLayout.bodyLength(header, 0);
            FrameLayout.checkBodyLength(type, length, FrameLayout.DEFAULT_MAX_BODY);
            ByteBuffer body = ByteBuffer.allocate(length);
            if (length > 0 && !fill(body)) {
                throw new EOFException("ended within a frame");
            }
            return new Frame(type, body.flip());
        }

        /** The next frame, which must be of this type. */
        public ByteBuffer expect(int type) throws IOException {
            Frame frame = next();
            if (frame == null || frame.type() != type) {
                throw new AssertionError("expected " + ControlFrames.name(type) + ", got "
                        + (frame == null ? "the end" : ControlFrames.name(frame.type())));
            }
            return frame.body();
        }

        /** Reads until the client has ended its side. */
        public void drain() throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
            while (channel.read(buffer) >= 0) {
                buffer.clear();
            }
        }

        public SocketChannel channel() {
            return channel;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }

        /** False where there was no byte at all. */
        private boolean fill(ByteBuffer buffer) throws IOException {
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    if (buffer.position() > 0) {
                        throw new EOFException("ended within a frame");
                    }
                    return false;
                }
            }
            return true;
        }
    }
}
