package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Window;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What a publisher says of the window, whenever it hears of it. */
class PublishConnectionTest {
    private static final Window WINDOW = new Window(0, 10, 20);

    private final PublishConnection connection = new PublishConnection(0, new Sink());
    private final FrameBatch batch = FrameBatch.ofMessages(SizeTable.fixed(16), 1);

    @Test
    void whatIsSentFromTheBeginOnIsMeasured() throws IOException {
        connection.prime(batch, 1, 4);
        connection.hear(WINDOW);
        send(9);
        send(10);
        send(11);
        assertThat(connection.said().firstTimed()).isEqualTo(2);
        assertThat(connection.messagesMeasured()).isEqualTo(2);
    }

    @Test
    void whoHearsOfItWhenItHasBegunDoesNotKnowItsFirstMessage() throws IOException {
        connection.prime(batch, 1, 4);
        connection.prime(batch, 1, 10);
        connection.hear(WINDOW);
        send(11);
        assertThat(connection.said().firstTimed()).isNegative();
        assertThat(connection.messagesMeasured()).isOne();
    }

    @Test
    void nothingOfTheRehearsalIsMeasured() throws IOException {
        connection.hear(new Window(0, 12, 20));
        send(4);
        send(5);
        assertThat(connection.said().messagesMeasured()).isZero();
        send(13);
        assertThat(connection.messagesMeasured()).isOne();
        assertThat(connection.said().firstTimed()).isEqualTo(2);
    }

    @Test
    void aRoundIsAsLongAsTheBatchAndNoLongerThanIsAsked() throws IOException {
        FrameBatch three = FrameBatch.ofMessages(SizeTable.fixed(16).withTypes(5), 3);
        assertThat(connection.prime(three, 5, 4)).isEqualTo(3);
        assertThat(connection.prime(three, 2, 4)).isEqualTo(2);
        assertThat(connection.messages()).isEqualTo(5);
    }

    private void send(long now) throws IOException {
        connection.note(now);
        connection.write(ByteBuffer.allocate(24), connection.messages() + 1);
    }

    private static final class Sink implements Outlet {
        @Override
        public void write(ByteBuffer source) {
            source.position(source.limit());
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
