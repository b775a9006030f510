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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** Numbers must grow, and from one acknowledgement to the next sequences must grow at least as much. */
    @ParameterizedTest
    @CsvSource({"3, 11", "6, 12", "4, 10"})
    void aNumberThatIsRepeatedOrASequenceThatGrowsTooLittleIsAFault(long number, long sequence) {
        acknowledged.onAck(3, 10);
        acknowledged.onAck(number, sequence);
        acknowledged.onAck(9, 90);
        assertThatThrownBy(() -> acknowledged.check(9))
                .hasMessage("acknowledged up to message " + number + ", sequence " + sequence
                        + ", after message 3, sequence 10");
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
}
