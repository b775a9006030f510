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
    private final PublishConnection connection = new PublishConnection(0, new Sink());
    private final FrameBatch batch = FrameBatch.ofMessages(SizeTable.fixed(16), 1);

    @Test
    void whatIsSentFromTheBeginOnIsMeasured() throws IOException {
        Window window = new Window(0, 10, 20);
        connection.prime(batch, 4);
        send(9, window);
        send(10, window);
        send(11, window);
        assertThat(connection.said().firstTimed()).isEqualTo(2);
        assertThat(connection.messagesMeasured()).isEqualTo(2);
    }

    @Test
    void whoHearsOfItWhenItHasBegunDoesNotKnowItsFirstMessage() throws IOException {
        connection.prime(batch, 4);
        connection.prime(batch, 10);
        send(11, new Window(0, 10, 20));
        assertThat(connection.said().firstTimed()).isNegative();
        assertThat(connection.messagesMeasured()).isOne();
    }

    @Test
    void aWindowThatIsToldAgainIsTheOneThatCounts() throws IOException {
        Window longest = new Window(0, 100, 120);
        send(1, longest);
        send(9, longest);
        send(12, longest.beginningAt(10));
        assertThat(connection.said().firstTimed()).isEqualTo(2);
        assertThat(connection.messagesMeasured()).isOne();
    }

    @Test
    void norDoesWhoHearsTooLateThatItBeginsEarlier() throws IOException {
        Window longest = new Window(0, 100, 120);
        send(11, longest);
        send(12, longest.beginningAt(10));
        assertThat(connection.said().firstTimed()).isNegative();
    }

    private void send(long now, Window window) throws IOException {
        connection.sendsAt(now, window);
        connection.write(ByteBuffer.allocate(24), connection.messages() + 1);
    }

    /** Takes everything. */
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
