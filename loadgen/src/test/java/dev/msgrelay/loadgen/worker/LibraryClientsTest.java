package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A relay that ends the connection of a client of relay-client: the client may not connect again as if nothing had
 * been.
 */
class LibraryClientsTest {
    private static final SizeTable SIZES = SizeTable.fixed(20);

    private final ServerSocketChannel server;

    LibraryClientsTest() throws IOException {
        server = Sockets.listen("127.0.0.1", null);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void aSubscriberWhoseConnectionIsLostSaysSo() throws Exception {
        assertThat(subscriber(ByteBuffer.allocate(0)).closed()).contains("closed the connection");
    }

    @Test
    void aSubscriberThatIsCutOffPassesTheReasonOn() throws Exception {
        SubscriberResult result =
                subscriber(ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, "lag of 9 over the limit of 8"));
        assertThat(result.closed()).isEqualTo("lag of 9 over the limit of 8");
        assertThat(result.closeReason()).isEqualTo(CloseReason.SLOW_SUBSCRIBER.code());
        assertThat(result.faults().tail()).isEqualTo(2);
    }

    @Test
    void aPublisherWhoseConnectionIsLostFails() throws Exception {
        CompletableFuture<Void> relay = relay(ByteBuffer.allocate(0));
        try (LibraryOutlet outlet =
                new LibraryOutlet(LibraryOutlet.options(Sockets.endpoint(server), Access.OPEN), null, Duration.ZERO)) {
            relay.get();
            assertThatThrownBy(() -> {
                        while (true) {
                            outlet.write(message());
                        }
                    })
                    // The end of the stream, or a write in vain: whichever the publisher meets first.
                    .hasMessageMatching(".*closed the connection.*|connection to .* lost: .*");
        }
    }

    /** What it says of a stream of three messages of which one comes, and then these words and the end. */
    private SubscriberResult subscriber(ByteBuffer lastWords) throws Exception {
        CompletableFuture<Void> relay = relay(message(), lastWords);
        LibraryChannel channel = new LibraryChannel(
                LibraryChannel.options(Sockets.endpoint(server), Access.OPEN, Policy.DISCONNECT), 1 << 16);
        Job job = Job.client(null, Access.OPEN, 0, 1, Load.oneToOne(20));
        Receiver receiver = new Receiver(channel, job, null, 1 << 16, new Control(), "test");
        relay.get();
        assertThat(receiver.awaitEnd(120_000)).as("it has ended").isTrue();
        receiver.stop();
        return receiver.result(0, Map.of(0, 3L), 0).result();
    }

    /** Takes one client, greets it, says this and ends the connection. */
    private CompletableFuture<Void> relay(ByteBuffer... words) {
        return CompletableFuture.runAsync(() -> {
            try (SocketChannel client = Sockets.accept(server)) {
                FrameReader reader = new FrameReader();
                boolean[] said = new boolean[1];
                while (!said[0] && reader.read(client, (type, body) -> said[0] = true) >= 0) {
                    // HELLO comes in one piece or in several.
                }
                client.write(
                        new WelcomeFrame(1, Policy.DISCONNECT, 0, 0, 7, 1, 0, 1 << 20, 10_000, 30_000, 16, "fake", 0)
                                .encode());
                for (ByteBuffer word : words) {
                    client.write(word);
                }
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        });
    }

    private static ByteBuffer message() {
        FrameBatch one = FrameBatch.ofMessages(SIZES, 1);
        one.add(LoadMessage.stamp(0, 0), System.nanoTime());
        return one.drain();
    }
}
