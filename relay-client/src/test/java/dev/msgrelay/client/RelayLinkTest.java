package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The time that a relay has for its WELCOME, and for any sign of life behind it; time is passed in. */
class RelayLinkTest implements RelayLink.Handler {
    private static final int IDLE_MILLIS = 5000;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

    // Close to where nanoTime may wrap: only differences count.
    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);
    private int messages;

    private ScriptedRelay server;
    private Selector selector;
    private SocketChannel relay;
    private RelayLink link;

    @BeforeEach
    void connect() throws IOException {
        server = ScriptedRelay.tcp();
        selector = Selector.open();
        SocketChannel channel = server.endpoint().open(Duration.ofSeconds(120));
        relay = server.accept().channel();
        link = new RelayLink(server.endpoint(), channel, null, selector, new FrameReader(), this, () -> now);
        link.greet(HelloFrame.subscriber().build().encode(), PATIENCE);
    }

    @AfterEach
    void disconnect() throws IOException {
        link.close();
        selector.close();
        relay.close();
        server.close();
    }

    @Test
    void theHandshakeEndsInTimeWhateverComesInstead() throws IOException {
        now += PATIENCE - 1;
        link.checkSilence();
        assertThat(link.waitMillis()).isEqualTo(1);
        receive(message(1, "old"));
        now += 1;
        assertThatThrownBy(link::checkSilence).hasMessage("no WELCOME from " + server.endpoint() + " within 2000 ms");
        assertThatThrownBy(() -> receive(message(1, "old"))).hasMessageContaining("no WELCOME");
        assertThat(messages).isZero();
    }

    @Test
    void behindWelcomeAnythingIsASignOfLife() throws IOException {
        now += PATIENCE - 1;
        receive(welcome(EPOCH, 0, 1, 0, IDLE_MILLIS));
        assertThat(link.isOpen()).isTrue();
        for (ByteBuffer sign : new ByteBuffer[] {
            message(1, "a"), ping(1, 2, 1), message(1, "b").limit(3)
        }) {
            now += TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS) - 1;
            link.checkSilence();
            receive(sign);
        }
        now += TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS) - 1;
        link.checkSilence();
        now++;
        assertThatThrownBy(link::checkSilence)
                .hasMessage("nothing was heard of the relay at " + server.endpoint() + " for 5000 ms");
        assertThat(messages).isEqualTo(1);
    }

    @Test
    void withoutHelloSilenceIsNoMatter() throws IOException {
        link.openPlain();
        now += TimeUnit.DAYS.toNanos(1);
        link.checkSilence();
        assertThat(link.waitMillis()).as("for ever").isZero();
        receive(message(1, "a"));
        assertThat(messages).isEqualTo(1);
    }

    private void receive(ByteBuffer frame) throws IOException {
        Frames.write(relay, frame);
        link.key().interestOps(SelectionKey.OP_READ);
        int got;
        do {
            selector.select(key -> {}, 10_000);
            got = link.read();
        } while (got == 0);
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
