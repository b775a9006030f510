package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.plan.Window;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AcknowledgedTest {
    private final LibraryOutlet.Acknowledged acknowledged = new LibraryOutlet.Acknowledged(1, 1, () -> Window.NONE);

    @Test
    void numbersAndSequencesGoUpToTheLastMessage() {
        acknowledged.onAck(3, 10);
        acknowledged.onAck(4, 12);
        // Told when the connection was made again: the relay had it, and says so once more.
        acknowledged.onAck(4, 0);
        acknowledged.onAck(9, 0);
        acknowledged.onAck(10, 30);
        assertThatCode(() -> acknowledged.check(10)).doesNotThrowAnyException();
    }

    @Test
    void whatIsNotAcknowledgedOrWasNeverPublishedIsAFault() {
        acknowledged.onAck(3, 10);
        assertThatThrownBy(() -> acknowledged.check(4))
                .isInstanceOf(IOException.class)
                .hasMessage("acknowledged up to message 3, published up to 4");
        assertThatThrownBy(() -> acknowledged.check(2)).hasMessage("acknowledged up to message 3, published up to 2");
    }

    @Test
    void aMessageThatIsAcknowledgedTwiceIsAFault() {
        acknowledged.onAck(3, 10);
        acknowledged.onAck(3, 11);
        acknowledged.onAck(5, 12);
        assertThatThrownBy(() -> acknowledged.check(5))
                .hasMessage("acknowledged up to message 3, sequence 11, after message 3, sequence 10");
    }

    /** A histogram ends at 100 s; what took longer is the longest, and ends nothing. */
    @Test
    void whatTookLongerThanAnyHistogramIsTheLongest() {
        long minutes = TimeUnit.SECONDS.toNanos(150);
        Window window = new Window(0, 0, Long.MAX_VALUE);
        LibraryOutlet.Acknowledged late = new LibraryOutlet.Acknowledged(1, 1, () -> window);
        ByteBuffer body = ByteBuffer.allocate(LoadMessage.MIN_BODY);
        LoadMessage.put(body, 0, LoadMessage.stamp(0, 0), System.nanoTime() - minutes);
        late.publishing(0, body);
        late.onAck(1, 1);
        assertThat(late.after().getTotalCount()).isOne();
    }

    /** From one acknowledgement to the next the stream has grown by as many messages at least. */
    @Test
    void moreMessagesThanTheStreamHasIsAFault() {
        acknowledged.onAck(3, 10);
        acknowledged.onAck(6, 12);
        assertThatThrownBy(() -> acknowledged.check(6))
                .hasMessage("acknowledged up to message 6, sequence 12, after message 3, sequence 10");
    }

    @Test
    void aStreamThatGoesBackIsAFault() {
        acknowledged.onAck(3, 10);
        acknowledged.onAck(4, 10);
        assertThatThrownBy(() -> acknowledged.check(4))
                .hasMessage("acknowledged up to message 4, sequence 10, after message 3, sequence 10");
    }
}
