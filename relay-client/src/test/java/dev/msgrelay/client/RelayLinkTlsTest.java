package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.system.TlsFolder;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection over TLS whose records come slowly. */
class RelayLinkTlsTest implements RelayLink.Handler {
    private static final int IDLE_MILLIS = 5_000;
    private static final long IDLE = TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS);

    private final ByteBuffer in = ByteBuffer.allocate(1 << 16);
    private final ByteBuffer out = ByteBuffer.allocate(1 << 16);
    private long now = 1;
    private int messages;

    /** A piece of a record brings nothing that can be read, and still the relay is there. */
    @Test
    void aPieceOfARecordIsASignOfLife(@TempDir Path folder) throws Exception {
        TlsFolder files = new TlsFolder(folder);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(files.relay().toKeyManagerFactory().getKeyManagers(), null, null);
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        try (ScriptedRelay server = ScriptedRelay.tcp();
                Selector selector = Selector.open();
                SocketChannel channel = server.endpoint().open(Duration.ofSeconds(60));
                SocketChannel relay = server.accept().channel()) {
            CompletableFuture<TlsChannel> shaken =
                    CompletableFuture.supplyAsync(() -> connect(server.endpoint(), channel, files));
            shakeHands(engine, relay);
            RelayLink link = new RelayLink(
                    server.endpoint(), channel, shaken.join(), selector, new FrameReader(), this, () -> now);
            link.greet(HelloFrame.subscriber().build().encode(), IDLE);
            Frames.write(relay, record(engine, welcome(EPOCH, 0, 1, 0, IDLE_MILLIS)));
            while (!link.isOpen()) {
                read(link, selector);
            }
            ByteBuffer record = record(engine, message(1, "a".repeat(1000)));
            int end = record.limit();
            for (int piece = 1; piece <= 3; piece++) {
                now += IDLE - 1;
                Frames.write(relay, record.limit(piece * 100));
                read(link, selector);
                link.checkSilence();
                assertThat(messages).isZero();
            }
            now += IDLE;
            assertThatThrownBy(link::checkSilence).hasMessageContaining("nothing was heard of the relay");
            Frames.write(relay, record.limit(end));
            while (messages == 0) {
                read(link, selector);
            }
            link.checkSilence();
            link.close();
        }
    }

    private static TlsChannel connect(Endpoint endpoint, SocketChannel channel, TlsFolder files) {
        try {
            TlsOptions trusting = TlsOptions.trusting(files.ca);
            return TlsChannel.connect(endpoint, channel, trusting, trusting.context(), Duration.ofSeconds(60));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void shakeHands(SSLEngine engine, SocketChannel relay) throws IOException {
        engine.beginHandshake();
        HandshakeStatus status = engine.getHandshakeStatus();
        while (status != HandshakeStatus.NOT_HANDSHAKING && status != HandshakeStatus.FINISHED) {
            if (status == HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
            } else if (status == HandshakeStatus.NEED_WRAP) {
                Frames.write(relay, record(engine, ByteBuffer.allocate(0)));
            } else {
                in.flip();
                boolean tooShort =
                        engine.unwrap(in, ByteBuffer.allocate(1 << 15)).getStatus() == Status.BUFFER_UNDERFLOW;
                in.compact();
                assertThat(tooShort ? relay.read(in) : 0).isNotNegative();
            }
            status = engine.getHandshakeStatus();
        }
    }

    private ByteBuffer record(SSLEngine engine, ByteBuffer plain) throws IOException {
        out.clear();
        do {
            engine.wrap(plain, out);
        } while (plain.hasRemaining());
        return out.flip();
    }

    private static void read(RelayLink link, Selector selector) throws IOException {
        link.key().interestOps(SelectionKey.OP_READ);
        selector.select(key -> {}, 60_000);
        link.read();
    }

    @Override
    public void onMessage(int type, ByteBuffer body) {
        messages++;
    }

    @Override
    public void onWelcome(WelcomeFrame welcome) {}

    @Override
    public void onPing(ByteBuffer body) {}

    @Override
    public void onRetryAfter(int millis) {
        throw new AssertionError("RETRY_AFTER " + millis);
    }

    @Override
    public void onGoAway(GoAwayFrame goAway) {}

    @Override
    public void onControl(int type, ByteBuffer body) {}
}
