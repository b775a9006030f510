package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
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

    @Test
    void aStreamThatGoesBackIsAFault() {
        acknowledged.onAck(3, 10);
        acknowledged.onAck(4, 10);
        assertThatThrownBy(() -> acknowledged.check(4))
                .hasMessage("acknowledged up to message 4, sequence 10, after message 3, sequence 10");
    }
}
