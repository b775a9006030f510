package dev.msgrelay.server.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * A client's side of TLS whose records the test holds in its hands: what it says can go out in any pieces, and the word
 * that ends its output right behind a message. Blocking.
 */
public final class TlsLine {
    private static final int ROOM = 40 << 10;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private final SocketChannel channel;
    private final ByteBuffer come = ByteBuffer.allocateDirect(ROOM).flip();
    private final ByteBuffer plain = ByteBuffer.allocate(ROOM);
    private final ByteBuffer record = ByteBuffer.allocate(ROOM);

    public TlsLine(SSLEngine engine, SocketChannel channel) throws IOException {
        this.engine = engine;
        this.channel = channel;
        engine.beginHandshake();
        while (engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING
                && engine.getHandshakeStatus() != HandshakeStatus.FINISHED) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_WRAP -> channel.write(ByteBuffer.wrap(wrap(NOTHING)));
                default -> {
                    if (!unwrap(new ByteArrayOutputStream())) {
                        throw new IOException("the relay ended the connection within the handshake");
                    }
                }
            }
        }
    }

    public byte[] say(byte[] bytes) throws SSLException {
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        for (ByteBuffer left = ByteBuffer.wrap(bytes); left.hasRemaining(); ) {
            records.writeBytes(wrap(left));
        }
        return records.toByteArray();
    }

    public byte[] sayEnd() throws SSLException {
        engine.closeOutbound();
        return wrap(NOTHING);
    }

    private byte[] wrap(ByteBuffer from) throws SSLException {
        engine.wrap(from, record.clear());
        return Arrays.copyOf(record.array(), record.position());
    }

    /** All that the relay says until it ends its output; fails where that is cut off. */
    public byte[] readToEnd() throws IOException {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        while (unwrap(said)) {
            // goes on
        }
        if (!engine.isInboundDone()) {
            throw new IOException("the connection ended without the word of TLS, behind " + said.size() + " bytes");
        }
        return said.toByteArray();
    }

    /** Takes a record or reads more; false: that was the end. */
    private boolean unwrap(ByteArrayOutputStream to) throws IOException {
        SSLEngineResult result = engine.unwrap(come, plain.clear());
        to.write(plain.array(), 0, plain.position());
        if (engine.isInboundDone()) {
            return false;
        }
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            engine.getDelegatedTask().run();
            return true;
        }
        // Not by its status: Netty's engine says CLOSED once its own output has ended, whatever comes.
        if (result.bytesConsumed() > 0 || result.bytesProduced() > 0) {
            return true;
        }
        int read = channel.read(come.compact());
        come.flip();
        return read >= 0;
    }
}
