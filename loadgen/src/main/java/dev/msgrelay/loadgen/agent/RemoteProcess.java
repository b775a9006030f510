package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.site.SiteProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A process of an agent's host. The connection's reader feeds it; any thread may call the rest. */
final class RemoteProcess implements SiteProcess {
    /** As of a process that was ended by SIGKILL: what an agent does to it when its controller is gone. */
    static final int KILLED = 137;

    /** Unread bytes: a worker's result, and what it may say while nobody looks. */
    private static final int CAPACITY = 48 << 20;

    private static final long START_SECONDS = 10;

    private final int id;
    private final AgentConnection connection;
    private final CompletableFuture<Long> started = new CompletableFuture<>();
    private final ByteQueue stdout = new ByteQueue(CAPACITY);
    private final ByteQueue stderr = new ByteQueue(CAPACITY);
    private final OutputStream stdin = new Stdin();
    private final CountDownLatch exit = new CountDownLatch(1);
    private volatile int exitCode;
    private volatile boolean withinLine;

    RemoteProcess(int id, AgentConnection connection) {
        this.id = id;
        this.connection = connection;
    }

    int id() {
        return id;
    }

    /** Waits until the agent has started it. */
    void awaitStarted() throws IOException {
        try {
            started.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException(connection.name() + " did not start a process within " + START_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Its process id there; -1 as long as it has not started. */
    long remotePid() {
        return started.isCompletedExceptionally() ? -1 : started.getNow(-1L);
    }

    void onStarted(long pid) {
        started.complete(pid);
    }

    void onFailed(String reason) {
        started.completeExceptionally(new IOException(connection.name() + " refused: " + reason));
        end(-1);
    }

    /**
     * @throws ProtocolException more came than anyone reads
     */
    void onOutput(String stream, byte[] bytes) throws ProtocolException {
        boolean error = stream.equals(Messages.STDERR);
        ByteQueue queue = error ? stderr : stdout;
        if (error && bytes.length > 0) {
            withinLine = bytes[bytes.length - 1] != '\n';
        }
        if (!queue.add(bytes)) {
            throw new ProtocolException("process " + id + " said more than " + (CAPACITY >> 20) + " MiB unread");
        }
    }

    void onExited(int code) {
        end(code);
    }

    /** The agent is gone, and so is the process: it says so itself. */
    void onLost(String reason) {
        if (isAlive()) {
            stderr.add(((withinLine ? "\n" : "") + reason + "\n").getBytes(StandardCharsets.UTF_8));
        }
        started.completeExceptionally(new IOException(reason));
        end(KILLED);
    }

    private void end(int code) {
        if (isAlive()) {
            exitCode = code;
        }
        exit.countDown();
        stderr.end();
        stdout.end();
    }

    @Override
    public long pid() {
        return -1;
    }

    @Override
    public InputStream stdout() {
        return stdout;
    }

    @Override
    public InputStream stderr() {
        return stderr;
    }

    @Override
    public OutputStream stdin() {
        return stdin;
    }

    @Override
    public boolean isAlive() {
        return exit.getCount() > 0;
    }

    @Override
    public int exitCode() {
        return exitCode;
    }

    @Override
    public boolean awaitExit(long millis) throws InterruptedException {
        return exit.await(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void terminate() {
        signal(Messages.TERM);
    }

    @Override
    public void kill() {
        signal(Messages.KILL);
    }

    private void signal(String signal) {
        if (!isAlive()) {
            return;
        }
        JsonObject message = Messages.of(Messages.SIGNAL, id);
        message.put("signal", signal);
        try {
            connection.send(message);
        } catch (IOException e) {
            // the agent is gone and has ended it
        }
    }

    @Override
    public long cpuNanos() {
        return connection.figure(id, "cpuNanos");
    }

    @Override
    public long peakResidentBytes() {
        return connection.figure(id, "peakResidentBytes");
    }

    /** What is written goes to the process at once. */
    private final class Stdin extends OutputStream {
        private boolean closed;

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
            if (closed || !isAlive()) {
                throw new IOException("the process has ended");
            }
            for (int sent = 0; sent < length; sent += Messages.CHUNK) {
                int count = Math.min(Messages.CHUNK, length - sent);
                JsonObject message = Messages.of(Messages.STDIN, id);
                message.put("text", new String(bytes, offset + sent, count, StandardCharsets.ISO_8859_1));
                connection.send(message);
            }
        }

        @Override
        public synchronized void close() throws IOException {
            if (!closed && isAlive()) {
                connection.send(Messages.of(Messages.CLOSE_STDIN, id));
            }
            closed = true;
        }
    }
}
