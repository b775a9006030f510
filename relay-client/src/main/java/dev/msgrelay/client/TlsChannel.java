package dev.msgrelay.client;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.net.TlsFault;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * TLS over a socket, blocking or not, as the socket is. The channel may hold written records that the socket has not
 * taken, see {@link #flush}, and read bytes beyond those asked for, see {@link #hasInput}.
 *
 * <p>Owned by one thread; {@link #close} may be called on any.
 */
final class TlsChannel implements ReadableByteChannel, GatheringByteChannel {
    private static final int RECORDS = 4;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final String PROTOCOL = "TLSv1.3";
    private static final String IDENTIFICATION = "HTTPS";

    private final Endpoint endpoint;
    private final SocketChannel channel;
    private final SSLEngine engine;
    private final TlsOptions options;
    private final int record;
    private final ByteBuffer[] single = new ByteBuffer[1];
    // Records from and for the socket, between position and limit.
    private final ByteBuffer netIn;
    private final ByteBuffer netOut;
    // Plain text that did not fit the reader's buffer, between position and limit.
    private final ByteBuffer plain;
    private boolean inputEnded;
    private boolean partOfRecord;
    private boolean socketRead;
    private long received;

    private TlsChannel(Endpoint endpoint, SocketChannel channel, SSLEngine engine, TlsOptions options) {
        this.endpoint = endpoint;
        this.channel = channel;
        this.engine = engine;
        this.options = options;
        this.record = engine.getSession().getPacketBufferSize();
        this.netIn = ByteBuffer.allocateDirect(RECORDS * record).limit(0);
        this.netOut = ByteBuffer.allocateDirect(RECORDS * record).limit(0);
        this.plain = ByteBuffer.allocateDirect(engine.getSession().getApplicationBufferSize())
                .limit(0);
    }

    /**
     * Makes the TLS handshake over a connected socket, and leaves it non-blocking.
     *
     * @param context of the options' files
     * @throws TlsException the handshake failed; the message names the endpoint and the reason
     * @throws ClosedByInterruptException the thread was interrupted, and still is
     * @throws IOException the connection was lost
     */
    static TlsChannel connect(
            Endpoint endpoint, SocketChannel channel, TlsOptions options, SSLContext context, Duration timeout)
            throws IOException {
        SSLEngine engine = context.createSSLEngine(options.nameOn(endpoint.host()), endpoint.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {PROTOCOL});
        parameters.setEndpointIdentificationAlgorithm(IDENTIFICATION);
        engine.setSSLParameters(parameters);
        TlsChannel tls = new TlsChannel(endpoint, channel, engine, options);
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            tls.shakeHands(selector, key, System.nanoTime() + timeout.toNanos(), timeout);
        } catch (SSLException e) {
            tls.sendAlert();
            throw tls.asTlsException(e);
        }
        return tls;
    }

    private void shakeHands(Selector selector, SelectionKey key, long deadline, Duration timeout) throws IOException {
        engine.beginHandshake();
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NOT_HANDSHAKING, FINISHED -> {
                    if (flush()) {
                        return;
                    }
                    await(selector, key, SelectionKey.OP_WRITE, deadline, timeout);
                }
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> {
                    if (!flush()) {
                        await(selector, key, SelectionKey.OP_WRITE, deadline, timeout);
                    } else {
                        wrap(NOTHING);
                    }
                }
                default -> {
                    if (!flush()) {
                        await(selector, key, SelectionKey.OP_READ | SelectionKey.OP_WRITE, deadline, timeout);
                    }
                    SSLEngineResult result = engine.unwrap(netIn, plain.clear());
                    plain.flip();
                    if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                        throw new EOFException(
                                "the relay at " + endpoint + " closed the connection within the TLS handshake");
                    }
                    if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                        await(selector, key, SelectionKey.OP_READ, deadline, timeout);
                        fill();
                    }
                }
            }
        }
    }

    private void await(Selector selector, SelectionKey key, int ops, long deadline, Duration timeout)
            throws IOException {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new SocketTimeoutException(
                    "no TLS handshake with " + endpoint + " within " + timeout.toMillis() + " ms");
        }
        key.interestOps(ops);
        selector.select(TimeUnit.NANOSECONDS.toMillis(left) + 1);
        // An interrupted thread would spin instead of waiting.
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
    }

    private void fill() throws IOException {
        int n = readRecords();
        refusedInPlain();
        if (n < 0) {
            throw new EOFException("the relay at " + endpoint + " closed the connection within the TLS handshake");
        }
    }

    /** Reads from the socket what there is room for; -1: it has ended. */
    private int readRecords() throws IOException {
        netIn.compact();
        try {
            return channel.read(netIn);
        } finally {
            netIn.flip();
        }
    }

    /** Throws the ERROR in plain text of a relay that is full, or whose port has no TLS; its sender is not certain. */
    private void refusedInPlain() throws IOException {
        if (netIn.remaining() >= FrameLayout.HEADER_LENGTH && netIn.getInt(netIn.position()) == ControlFrames.ERROR) {
            int length = FrameLayout.bodyLength(netIn, netIn.position());
            if (length >= 0
                    && length <= ControlFrames.MAX_CONTROL_BODY
                    && netIn.remaining() >= FrameLayout.frameLength(length)) {
                ByteBuffer body = netIn.slice(netIn.position() + FrameLayout.HEADER_LENGTH, length);
                throw new TlsException(
                        "the relay at " + endpoint + " says without TLS: " + describeError(body),
                        RetryAdvice.FEW,
                        null);
            }
        }
    }

    private static String describeError(ByteBuffer error) {
        try {
            ErrorFrame.check(error);
            return RelayErrorException.of(error, false).getMessage();
        } catch (FrameException e) {
            return e.getMessage();
        }
    }

    /** Sends the alert about the relay's fault, if the socket takes it at once. */
    private void sendAlert() {
        try {
            flush();
            netOut.compact();
            engine.wrap(NOTHING, netOut);
            netOut.flip();
            channel.write(netOut);
        } catch (IOException e) {
            // The relay then gets no alert.
        }
    }

    private TlsException asTlsException(SSLException failure) {
        TlsFault fault = TlsFault.of(endpoint, failure);
        return new TlsException(fault.text(), options.advice(fault.kind()), failure);
    }

    // ---- reading -----------------------------------------------------------------------------------------------

    /** Whether a {@link #read} may bring bytes without new ones in the socket. */
    boolean hasInput() {
        return plain.hasRemaining() || (netIn.hasRemaining() && !partOfRecord);
    }

    /** Bytes from the socket so far; bytes of an incomplete record are counted, and cannot be read yet. */
    long bytesReceived() {
        return received;
    }

    @Override
    public synchronized int read(ByteBuffer to) throws IOException {
        int before = to.position();
        // One read of the socket at most: records without data may come for ever.
        socketRead = false;
        try {
            while (to.hasRemaining() && readOnce(to, to.position() > before)) {
                // readOnce has read one record.
            }
        } catch (SSLException e) {
            throw asTlsException(e);
        }
        int n = to.position() - before;
        return n == 0 && inputEnded ? -1 : n;
    }

    /** Reads one record, or what is left of one. Returns whether to continue. */
    private boolean readOnce(ByteBuffer to, boolean some) throws IOException {
        if (plain.hasRemaining()) {
            int part = Math.min(plain.remaining(), to.remaining());
            to.put(to.position(), plain, plain.position(), part).position(to.position() + part);
            plain.position(plain.position() + part);
            return true;
        }
        if (inputEnded) {
            return false;
        }
        boolean enough = to.remaining() >= plain.capacity();
        SSLEngineResult result = engine.unwrap(netIn, enough ? to : plain.clear());
        if (!enough) {
            plain.flip();
        }
        obey(result.getHandshakeStatus());
        switch (result.getStatus()) {
            case CLOSED -> {
                inputEnded = true;
                return false;
            }
            case BUFFER_UNDERFLOW -> {
                partOfRecord = true;
                return !some && !socketRead && readSocket() > 0;
            }
            default -> {
                return true;
            }
        }
    }

    private int readSocket() throws IOException {
        socketRead = true;
        int n = readRecords();
        if (n < 0) {
            throw new EOFException("the connection to " + endpoint + " was cut: TLS was not ended");
        }
        partOfRecord = n == 0;
        received += n;
        return n;
    }

    // ---- writing -----------------------------------------------------------------------------------------------

    @Override
    public synchronized int write(ByteBuffer from) throws IOException {
        single[0] = from;
        return (int) write(single, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] from) throws IOException {
        return write(from, 0, from.length);
    }

    @Override
    public synchronized long write(ByteBuffer[] from, int offset, int length) throws IOException {
        long written = 0;
        try {
            while (flush() && remaining(from, offset, length) > 0) {
                netOut.clear();
                try {
                    while (netOut.remaining() >= record && remaining(from, offset, length) > 0) {
                        SSLEngineResult result = engine.wrap(from, offset, length, netOut);
                        written += result.bytesConsumed();
                        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                            throw new EOFException("the relay at " + endpoint + " has ended TLS");
                        }
                        obeyTasks(result.getHandshakeStatus());
                    }
                } finally {
                    netOut.flip();
                }
            }
        } catch (IOException e) {
            // A broken channel stays so, and the next call throws: the caller has to know how many bytes may have
            // arrived.
            if (written == 0) {
                throw e instanceof SSLException ssl ? asTlsException(ssl) : e;
            }
        }
        return written;
    }

    private static long remaining(ByteBuffer[] from, int offset, int length) {
        long left = 0;
        for (int i = offset; i < offset + length; i++) {
            left += from[i].remaining();
        }
        return left;
    }

    /** Writes waiting records to the socket; returns whether none is left. */
    synchronized boolean flush() throws IOException {
        if (netOut.hasRemaining()) {
            channel.write(netOut);
        }
        return !netOut.hasRemaining();
    }

    /** Ends the output, after a complete flush. An alert tells the relay that this is the end, and no cut. */
    synchronized void endOutput() throws IOException {
        engine.closeOutbound();
        wrap(NOTHING);
        flush();
        channel.shutdownOutput();
    }

    /** Wraps records that the library sends by itself, such as for a new key. */
    private void wrap(ByteBuffer bytes) throws IOException {
        netOut.compact();
        try {
            engine.wrap(bytes, netOut);
        } finally {
            netOut.flip();
        }
    }

    private void obey(SSLEngineResult.HandshakeStatus status) throws IOException {
        obeyTasks(status);
        if (status == SSLEngineResult.HandshakeStatus.NEED_WRAP && !engine.isOutboundDone()) {
            wrap(NOTHING);
            flush();
        }
    }

    private void obeyTasks(SSLEngineResult.HandshakeStatus status) {
        if (status == SSLEngineResult.HandshakeStatus.NEED_TASK) {
            runTasks();
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
