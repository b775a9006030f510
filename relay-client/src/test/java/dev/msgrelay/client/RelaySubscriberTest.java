package dev.msgrelay.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.testing.ShortFolders;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("try") // closing early is what is tested
class RelaySubscriberTest {
    @TempDir(factory = ShortFolders.class)
    private Path directory;

    private ScriptedRelay server;
    private RelaySubscriber subscriber;
    private SocketChannel relay;
    private final List<String> got = new ArrayList<>();
    private final MessageHandler collect =
            (sequence, type, body) -> got.add(type + ":" + new String(Frames.copy(body), UTF_8));

    @BeforeEach
    void connect() throws Exception {
        server = ScriptedRelay.tcp();
        subscriber = RelaySubscriber.connect(server.endpoint());
        relay = server.accept().channel();
    }

    @AfterEach
    void disconnect() throws Exception {
        subscriber.close();
        relay.close();
        server.close();
    }

    @Test
    void handsOverAndCountsEveryMessage() throws Exception {
        send(frame(1, "one"), frame(-2, ""), frame(3, "three"));
        relay.close();
        subscriber.run(collect);
        assertThat(got).containsExactly("1:one", "-2:", "3:three");
        assertThat(subscriber.messages()).isEqualTo(3);
        assertThat(subscriber.bytes()).isEqualTo(3 * 8 + 8);
    }

    @Test
    void worksOverAUnixSocket() throws Exception {
        try (ScriptedRelay unix = ScriptedRelay.unix(directory);
                RelaySubscriber local = RelaySubscriber.connect(unix.endpoint());
                SocketChannel accepted = unix.accept().channel()) {
            Frames.write(accepted, frame(5, "local"));
            accepted.close();
            local.run(collect);
            assertThat(got).containsExactly("5:local");
        }
    }

    @Test
    void aPollTellsHowManyMessagesItHandedOver() throws Exception {
        send(frame(1, "a"), frame(2, "b"));
        int n = 0;
        while (n < 2) {
            n += subscriber.poll(collect);
            assertThat(n).isEqualTo(got.size());
        }
        relay.close();
        assertThat(subscriber.poll(collect)).isEqualTo(-1);
    }

    @Test
    void passesOverControlFramesThatItDoesNotKnow() throws Exception {
        send(frame(1, "a"), frame(ControlFrames.FIRST, "?"), frame(2, "b"), frame(0x8000007F, ""));
        relay.close();
        subscriber.run(collect);
        assertThat(got).containsExactly("1:a", "2:b");
        assertThat(subscriber.messages()).isEqualTo(2);
        assertThat(subscriber.bytes()).isEqualTo(18);
    }

    @Test
    void anErrorFrameEndsItWithTheRelaysOwnWords() throws Exception {
        send(frame(1, "a"), ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, "70 MB behind"), frame(2, "not this"));
        relay.close();
        RelayErrorException e = catchThrowableOfType(RelayErrorException.class, () -> subscriber.run(collect));
        assertThat(e.reason()).isSameAs(CloseReason.SLOW_SUBSCRIBER);
        assertThat(e.text()).isEqualTo("70 MB behind");
        assertThat(e).hasMessageContaining("subscriber too slow: 70 MB behind");
        assertThat(got).containsExactly("1:a");
        assertThat(subscriber.messages()).isEqualTo(1);
    }

    @Test
    void theRelaysWordsGoBeforeAStreamCutShort() throws Exception {
        send(ErrorFrame.encode(CloseReason.SHUTDOWN, ""), frame(2, "cut").limit(9));
        relay.close();
        RelayErrorException e = catchThrowableOfType(RelayErrorException.class, () -> subscriber.run(collect));
        assertThat(e.reason()).isSameAs(CloseReason.SHUTDOWN);
    }

    @Test
    void keepsACodeThatItDoesNotKnow() throws Exception {
        send(Frames.frame(ControlFrames.ERROR, (byte) 1, (byte) 0, (byte) 'x'));
        RelayErrorException e = catchThrowableOfType(RelayErrorException.class, () -> subscriber.run(collect));
        assertThat(e.reason()).isNull();
        assertThat(e.code()).isEqualTo(256);
        assertThat(e).hasMessageContaining("reason 256: x");
    }

    @Test
    void aControlFrameThatMustBeUnderstoodIsAnErrorAndOthersArePassedOver() throws Exception {
        send(frame(1, "a"), Frames.frame(0x8000007F), frame(2, "b"), Frames.frame(0x80000080), frame(3, "c"));
        assertThatThrownBy(() -> subscriber.run(collect))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("0x80000080 is not known here");
        assertThat(got).containsExactly("1:a", "2:b");
        assertThatThrownBy(() -> subscriber.poll(collect)).isInstanceOf(IOException.class);
    }

    @Test
    void aRelayThatClosesInTheMiddleOfAMessageIsAnError() throws Exception {
        send(frame(1, "a"), frame(2, "half").limit(10));
        relay.close();
        assertThatThrownBy(() -> subscriber.run(collect))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("10 of 12 bytes");
        assertThat(got).containsExactly("1:a");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, (1 << 20) + 1})
    void aStreamThatBreaksTheProtocolIsAnError(int length) throws Exception {
        send(frame(1, "a"), ByteBuffer.allocate(8).putInt(0, 9).putInt(4, length));
        assertThatThrownBy(() -> subscriber.run(collect))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("" + length);
        assertThat(got).containsExactly("1:a");
        assertThatThrownBy(() -> subscriber.poll(collect)).isInstanceOf(IOException.class);
    }

    @Test
    void closeFromAnotherThreadEndsAReadThatWaits() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Void> polling = CompletableFuture.runAsync(() -> {
            try {
                subscriber.run((sequence, type, body) -> running.countDown());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        send(frame(1, "a"));
        running.await();
        subscriber.close();
        polling.get(120, TimeUnit.SECONDS);
        assertThat(subscriber.messages()).isEqualTo(1);
        assertThat(subscriber.poll(collect)).isEqualTo(-1);
    }

    @Test
    void whatTheConsumerThrowsComesOut() throws Exception {
        send(frame(1, "a"));
        assertThatThrownBy(() -> subscriber.run((sequence, type, body) -> {
                    throw new IllegalStateException("mine");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("mine");
    }

    private void send(ByteBuffer... frames) throws IOException {
        for (ByteBuffer frame : frames) {
            Frames.write(relay, frame);
        }
    }

    private static ByteBuffer frame(int type, String body) {
        return Frames.frame(type, body.getBytes(UTF_8));
    }
}
