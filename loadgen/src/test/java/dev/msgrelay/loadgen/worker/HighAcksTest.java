package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.protocol.AckFrame;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A relay that acknowledges a few messages more than it has: while the publisher is ahead of it, none that was not
 * sent.
 */
class HighAcksTest {
    private static final int MESSAGES = 100;
    private static final int TOO_HIGH = 5;
    private static final long ELSEWHERE = 1_000_000;

    private final LibraryOutlet.Acknowledged heard = new LibraryOutlet.Acknowledged(1, 1, () -> Window.NONE);

    @Test
    void theLastAcknowledgementsTell() throws Exception {
        try (ServerSocketChannel server = Sockets.listen("127.0.0.1", null)) {
            CompletableFuture<Void> relay = CompletableFuture.runAsync(() -> relay(server));
            FrameBatch batch = FrameBatch.ofMessages(SizeTable.fixed(20), MESSAGES);
            batch.fill(LoadMessage.stamp(0, 0), System.nanoTime());
            try (LibraryOutlet outlet = new LibraryOutlet(
                    LibraryOutlet.options(Sockets.endpoint(server), Access.OPEN).acks("orders", Level.STREAM),
                    heard,
                    Duration.ofSeconds(60))) {
                outlet.write(batch.drain());
                assertThatThrownBy(outlet::settle)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("ACK")
                        .hasMessageContaining(String.valueOf(MESSAGES + TOO_HIGH));
            }
            relay.get(60, TimeUnit.SECONDS);
        }
    }

    private void relay(ServerSocketChannel server) {
        try (SocketChannel client = Sockets.accept(server)) {
            int[] messages = new int[1];
            FrameReader reader = new FrameReader();
            while (reader.read(client, (type, body) -> answer(client, type, messages)) >= 0) {
                // Until the publisher has gone.
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answer(SocketChannel client, int type, int[] messages) {
        try {
            if (type == ControlFrames.HELLO) {
                client.write(new WelcomeFrame(
                                1,
                                Policy.RELAY_DEFAULT,
                                0,
                                Features.ACKS,
                                7,
                                1,
                                0,
                                1 << 20,
                                10_000,
                                30_000,
                                16,
                                "fake",
                                0)
                        .encode());
            } else if (!ControlFrames.isControl(type)) {
                messages[0]++;
                if (messages[0] == MESSAGES - TOO_HIGH) {
                    acknowledge(client, messages[0]);
                } else if (messages[0] == MESSAGES) {
                    // The publisher has all that it waits for by now.
                    while (heard.number() < MESSAGES) {
                        Thread.onSpinWait();
                    }
                    acknowledge(client, messages[0]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void acknowledge(SocketChannel client, int messages) throws IOException {
        ByteBuffer ack = ByteBuffer.allocate(AckFrame.FRAME_LENGTH);
        AckFrame.put(ack, messages + TOO_HIGH, ELSEWHERE + messages);
        client.write(ack.flip());
    }
}
