package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.net.Segments;
import dev.msgrelay.server.tls.TlsRecords;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * TLS over a blocking socket, as cheap as it can be had: records are read and written by the segment. A read of a socket that was
 * made non-blocking brings 0 where there is nothing. One thread at a time owns it; {@link #close} is for any.
 */
final class TlsSocket implements ByteChannel {
    /** One record, and what the JDK wants to have room for beyond it. */
    private static final int RECORD = 17 << 10;

    private static final int RECORDS = 4;
    private static final int MOST_PLAIN = 16 << 10;
    private static final int MOST_CAUSES = 10;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Endpoint relay;
    private final SocketChannel socket;
    private final SSLEngine engine;
    private int segment;
    // Records that have come, and plain text that there was too little room for: between position and limit.
    private final ByteBuffer in;
    private final ByteBuffer plain;
    private final ByteBuffer out;
    private boolean ended;

    /** The memory of one connection; of several where they come one after the other. */
    static final class Buffers {
        private final ByteBuffer in = ByteBuffer.allocateDirect(RECORDS * RECORD);
        private final ByteBuffer plain = ByteBuffer.allocateDirect(RECORD);
        private final ByteBuffer out = ByteBuffer.allocateDirect((RECORDS + 1) * RECORD);
    }

    private TlsSocket(Endpoint relay, SocketChannel socket, SSLEngine engine, Buffers buffers) {
        this.in = buffers.in.position(0).limit(0);
        this.plain = buffers.plain.position(0).limit(0);
        this.out = buffers.out.clear();
        this.relay = relay;
        this.socket = socket;
        this.engine = engine;
    }

    /**
     * Connects and shakes hands. The controller bounds this wait.
     *
     * @param buffers of a connection that is no more; null: new ones
     * @throws IOException no connection came about; one line that names the endpoint and why
     */
    static TlsSocket connect(Endpoint relay, Tls tls, Buffers buffers) throws IOException {
        SocketChannel socket = Sockets.connect(relay);
        try {
            TlsSocket made = new TlsSocket(relay, socket, tls.engine(relay), buffers == null ? new Buffers() : buffers);
            made.shakeHands();
            return made;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private void shakeHands() throws IOException {
        try {
            engine.beginHandshake();
            for (HandshakeStatus next = engine.getHandshakeStatus();
                    next != HandshakeStatus.NOT_HANDSHAKING && next != HandshakeStatus.FINISHED;
                    next = engine.getHandshakeStatus()) {
                if (next == HandshakeStatus.NEED_TASK) {
                    runTasks();
                } else if (next == HandshakeStatus.NEED_WRAP) {
                    say();
                } else if (!unwrap(plain) && (ended || fill() < 0)) {
                    throw new EOFException("the relay at " + relay + " closed the connection within the TLS handshake");
                }
            }
        } catch (SSLException e) {
            tellOfFailure();
            throw failed(e);
        }
    }

    /** The relay logs it. */
    private void tellOfFailure() {
        try {
            say();
        } catch (IOException e) {
            // Then it is not told.
        }
    }

    private IOException failed(SSLException failure) {
        if (failure instanceof NotSslRecordException) {
            return new IOException("TLS with " + relay + " failed: what is there speaks no TLS", failure);
        }
        String why = failure.getMessage();
        boolean refused = false;
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
            refused |= cause instanceof CertificateException || cause instanceof CertPathValidatorException;
            why = cause.getMessage() == null ? why : cause.getMessage();
        }
        String whose = refused ? "the relay's certificate is refused: " : "";
        return new IOException("TLS with " + relay + " failed: " + whose + why, failure);
    }

    SocketChannel socket() {
        return socket;
    }

    /** Bytes that fill a segment once they are records; where segments are short, several of them. */
    int segment() throws IOException {
        if (segment == 0) {
            int payload = Segments.payload(socket.getLocalAddress());
            segment = payload < MOST_PLAIN ? RECORDS * MOST_PLAIN : TlsRecords.plainOfSegment(payload);
        }
        return segment;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        int before = to.position();
        try {
            while (to.hasRemaining()) {
                if (plain.hasRemaining()) {
                    int part = Math.min(plain.remaining(), to.remaining());
                    to.put(to.position(), plain, plain.position(), part).position(to.position() + part);
                    plain.position(plain.position() + part);
                } else if (!unwrap(to.remaining() < RECORD ? plain : to)) {
                    if (ended || to.position() > before) {
                        break;
                    }
                    int n = fill();
                    if (n <= 0) {
                        return n;
                    }
                }
            }
        } catch (SSLException e) {
            throw failed(e);
        }
        int n = to.position() - before;
        return n == 0 && ended ? -1 : n;
    }

    /** One record; false where none is whole, or the relay has ended. */
    private boolean unwrap(ByteBuffer to) throws IOException {
        SSLEngineResult result;
        if (to == plain) {
            plain.clear();
        }
        try {
            result = engine.unwrap(in, to);
        } finally {
            if (to == plain) {
                plain.flip();
            }
        }
        HandshakeStatus status = result.getHandshakeStatus();
        if (status == HandshakeStatus.NEED_TASK) {
            runTasks();
        }
        ended |= result.getStatus() == Status.CLOSED;
        if (status == HandshakeStatus.NEED_WRAP && !ended) {
            say();
        }
        return !ended && result.getStatus() != Status.BUFFER_UNDERFLOW;
    }

    private int fill() throws IOException {
        in.compact();
        try {
            return socket.read(in);
        } finally {
            in.flip();
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Writes all of it, blocking. */
    @Override
    public int write(ByteBuffer from) throws IOException {
        int length = from.remaining();
        int end = from.limit();
        try {
            while (from.hasRemaining()) {
                from.limit(Math.min(end, from.position() + segment()));
                while (from.hasRemaining()) {
                    if (engine.wrap(from, out).getStatus() != Status.OK) {
                        throw new EOFException("the relay at " + relay + " has ended TLS");
                    }
                }
                from.limit(end);
                send();
            }
        } catch (SSLException e) {
            throw failed(e);
        }
        return length;
    }

    /** What the library wants to say itself. */
    private void say() throws IOException {
        engine.wrap(NOTHING, out);
        send();
    }

    private void send() throws IOException {
        out.flip();
        try {
            while (out.hasRemaining()) {
                socket.write(out);
            }
        } finally {
            out.clear();
        }
    }

    /** Nothing more is written: the relay is told that this is the end, and no cut. */
    void endOutput() throws IOException {
        engine.closeOutbound();
        say();
        socket.shutdownOutput();
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
